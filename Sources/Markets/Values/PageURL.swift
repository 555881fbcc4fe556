import Foundation

/// Where the page for browsers can be reached: what links to it begin with.
package struct PageURL: Hashable, Sendable {
    /// In bytes: with the longest id behind it, a link leaves room for the text of any message.
    private static let longest = 300
    /// Without a slash at its end. It holds no character that a format of messages or of markup escapes.
    private let base: String

    /// Throws with a reason that completes "the URL …".
    package init(_ text: String) throws(InvalidName) {
        guard text.utf8.count <= Self.longest else {
            throw InvalidName(reason: "must not be longer than \(Self.longest) bytes")
        }
        guard text.utf8.allSatisfy({ $0.isUnreserved || Array("%/:[]".utf8).contains($0) }),
            let components = URLComponents(string: text), let host = components.host, !host.isEmpty
        else {
            throw InvalidName(reason: "must be host, port and path alone, such as https://prices.example.com")
        }
        guard ["http", "https"].contains(components.scheme?.lowercased()) else {
            throw InvalidName(reason: "must begin with https:// or http://")
        }
        if let port = components.port, !(1...65_535).contains(port) {
            throw InvalidName(reason: "must have a port from 1 to 65535")
        }
        base = text.withoutEndingSlashes
    }

    /// `https://prices.example.com/m/bitcoin`
    package func market(_ market: MarketID) -> String { "\(base)/m/\(market.pathSegment)" }

    /// The page with all markets.
    package var home: String { base + "/" }
    package var alerts: String { base + "/alerts" }
    package var status: String { base + "/status" }
    package var feed: String { base + "/feed.atom" }
}

extension MarketID {
    /// As one segment of a path. The dots of an id that ends like a file, or is a way between folders, are encoded.
    package var pathSegment: String {
        let hasEnding = [".svg", ".csv"].contains { text.hasSuffix($0) } || text.utf8.allSatisfy { $0 == 0x2E }
        let encoded = text.percentEncoded
        return hasEnding ? encoded.replacing(".", with: "%2E") : encoded
    }
}

extension String {
    package var withoutEndingSlashes: String {
        var text = self
        while text.hasSuffix("/") { text.removeLast() }
        return text
    }

    /// With each byte encoded that is not unreserved.
    package var percentEncoded: String {
        utf8.reduce(into: "") { encoded, byte in
            if byte.isUnreserved {
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                encoded += (byte < 0x10 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }
    }
}

extension UInt8 {
    /// RFC 3986, 2.3.
    fileprivate var isUnreserved: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
        default: false
        }
    }
}
