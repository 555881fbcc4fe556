import Foundation

/// Any JSON, with its numbers as exact decimals.
enum JSONValue: Decodable {
    case object([String: JSONValue])
    case list([JSONValue])
    case text(String)
    case number(Decimal)
    case boolean(Bool)
    case null
    /// A number outside what a decimal holds.
    case unreadable

    init(from decoder: any Decoder) throws {
        if let object = try? decoder.container(keyedBy: AnyKey.self) {
            var members: [String: JSONValue] = [:]
            for key in object.allKeys { members[key.stringValue] = try object.decode(JSONValue.self, forKey: key) }
            self = .object(members)
        } else if var list = try? decoder.unkeyedContainer() {
            var items: [JSONValue] = []
            while !list.isAtEnd { items.append(try list.decode(JSONValue.self)) }
            self = .list(items)
        } else {
            let value = try decoder.singleValueContainer()
            if value.decodeNil() {
                self = .null
            } else if let text = try? value.decode(String.self) {
                self = .text(text)
            } else if let boolean = try? value.decode(Bool.self) {
                self = .boolean(boolean)
            } else {
                self = (try? value.decode(Decimal.self)).map { .number($0) } ?? .unreadable
            }
        }
    }

    /// For messages: `an object with the keys a, b`.
    var kind: String {
        switch self {
        case .object(let members):
            if members.isEmpty { return "an empty object" }
            let keys = members.keys.sorted().prefix(5).map { OutsideText.escaped($0, limit: 30) }
            return "an object with the key\(members.count == 1 ? "" : "s") " + keys.joined(separator: ", ")
                + (members.count > 5 ? ", …" : "")
        case .list(let items): return items.count == 1 ? "a list of 1" : "a list of \(items.count)"
        case .text: return "a text"
        case .number, .unreadable: return "a number"
        case .boolean: return "true or false"
        case .null: return "null"
        }
    }

    /// A JSON number, or a text that is one as a whole.
    var decimal: Decimal? {
        switch self {
        case .number(let decimal): decimal
        case .text(let text): Decimal(wholeText: text)
        default: nil
        }
    }

    /// An id or a name: a text, or a number as its digits.
    var word: String? {
        switch self {
        case .text(let text): text
        case .number(let decimal): decimal.description
        default: nil
        }
    }
}
