import Foundation
import Markets

/// Text from outside, made fit for a message: bounded, and without a character that could move a cursor,
/// break a line or hide what follows.
enum OutsideText {
    static let limit = 200

    static func escaped(_ text: some StringProtocol, limit: Int = limit) -> String {
        var result = ""
        var count = 0
        var blank = false
        for scalar in text.unicodeScalars {
            if count >= limit { return result + "…" }
            if scalar.properties.isWhitespace {
                blank = count > 0
                continue
            }
            if blank {
                result += " "
                count += 1
                blank = false
            }
            if scalar.isUnprintable {
                result += SafeText.escape(scalar)
            } else {
                result.unicodeScalars.append(scalar)
            }
            count += 1
        }
        return result
    }

    /// The first bytes of a body in quotation marks: enough to recognise it by.
    static func quoted(_ body: Data, bytes: Int = 80) -> String {
        let beginning = escaped(String(decoding: body.prefix(bytes), as: UTF8.self), limit: bytes)
        return "\"" + beginning + (body.count > bytes ? "…" : "") + "\""
    }
}
