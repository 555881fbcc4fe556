import Foundation

/// A path below the base URL. An interpolated value is escaped as one segment: in `"/coins/\(id)/market_chart"` an id
/// with a slash stays one segment.
package struct RequestPath: Sendable, Hashable, ExpressibleByStringInterpolation {
    /// Begins with a slash and is percent-encoded.
    package let encoded: String

    package init(stringLiteral value: String) { encoded = value }

    /// - Parameter encoded: already percent-encoded.
    init(encoded: String) { self.encoded = encoded }

    package init(stringInterpolation: StringInterpolation) { encoded = stringInterpolation.text }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ literal: String) { text += literal }

        package mutating func appendInterpolation(_ parameter: some CustomStringConvertible) {
            let segment = parameter.description
            // A segment of dots alone would leave the path.
            if !segment.isEmpty, segment.allSatisfy({ $0 == "." }) {
                text += String(repeating: "%2E", count: segment.count)
            } else {
                text += segment.addingPercentEncoding(withAllowedCharacters: Self.unreserved) ?? ""
            }
        }

        private static let unreserved = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
    }
}

/// Encodes query items for a URL or a form.
enum QueryText {
    /// Encodes `+` as well: `URLComponents` leaves it, and servers read it as a space.
    static func encoded(_ items: [URLQueryItem]) -> String {
        var components = URLComponents()
        components.queryItems = items
        return (components.percentEncodedQuery ?? "").replacingOccurrences(of: "+", with: "%2B")
    }
}
