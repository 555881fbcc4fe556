import Foundation
import Markets

extension Scalar where Value == String {
    /// A one-line text: 1 to `longest` characters without control characters.
    static func name(upTo longest: Int) -> Scalar {
        Scalar("a name") { text, _ throws(Unfit) in
            if let objection = objection(toName: text, upTo: longest) { throw Unfit(reason: objection) }
            return text
        }
    }

    /// Completes "the name …"; nil: valid.
    static func objection(toName text: String, upTo longest: Int) -> String? {
        if text.isEmpty { return "must not be empty" }
        if text.count > longest { return "must not be longer than \(longest) characters" }
        if text.unicodeScalars.contains(where: \.isUnprintable) { return "must not hold a control character" }
        return nil
    }

    /// Any text, including line breaks.
    static func text(upTo longest: Int) -> Scalar {
        Scalar("a text") { text, _ throws(Unfit) in
            guard text.count <= longest else {
                throw Unfit(reason: "must not be longer than \(longest) characters")
            }
            return text
        }
    }

    /// A market's id at a provider.
    static var providerID: Scalar {
        Scalar("an id") { text, _ throws(Unfit) in
            do throws(InvalidName) { return try MarketID(text).text } catch {
                throw Unfit(reason: "an id \(error.reason)")
            }
        }
    }

    /// One of a fixed set of words.
    static func word(of words: [String], kind: String) -> Scalar {
        Scalar("one of \(words.joined(separator: ", "))") { text, _ throws(Unfit) in
            if words.contains(text) { return text }
            let close = Spelling.closest(to: text, among: words).map { "; did you mean \($0)?" }
            throw Unfit(
                reason: "there is no \(kind) \(text.quoted)" + (close ?? "; there is \(words.joined(separator: ", "))"))
        }
    }

    /// A path, made absolute.
    static var path: Scalar {
        Scalar("a path") { text, source throws(Unfit) in
            guard !text.isEmpty else { throw Unfit(reason: "the path is empty") }
            guard !text.unicodeScalars.contains(where: \.isUnprintable) else {
                throw Unfit(reason: "the path holds a control character")
            }
            guard !text.hasSuffix("/") else { throw Unfit(reason: "is a folder; name a file in it") }
            return source.absolute(text)
        }
    }

    static func url(_ rule: URLRule) -> Scalar {
        Scalar("a URL") { text, _ throws(Unfit) in
            if let objection = rule.objection(to: text) { throw Unfit(reason: "the URL \(objection)") }
            return text
        }
    }

    /// RFC 6901: empty, or tokens that each begin with a slash.
    static var jsonPointer: Scalar {
        Scalar("a JSON Pointer such as /data/last") { text, _ in
            guard text.isEmpty || text.hasPrefix("/") else { return nil }
            let escapes = text.split(separator: "~", omittingEmptySubsequences: false).dropFirst()
            return escapes.allSatisfy { $0.hasPrefix("0") || $0.hasPrefix("1") } ? text : nil
        }
    }
}
