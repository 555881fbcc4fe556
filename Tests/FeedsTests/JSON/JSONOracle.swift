import Foundation

@testable import Feeds

/// What Foundation makes of a JSON text.
indirect enum JSONOracle: Decodable, Equatable {
    case object([String: JSONOracle])
    case list([JSONOracle])
    case text(String)
    case number(Figure)
    case boolean(Bool)
    case null
    case unreadable

    /// Figures of more digits than we keep may differ in the last place.
    struct Figure: Equatable {
        var double: Double

        static func == (left: Figure, right: Figure) -> Bool {
            abs(left.double - right.double) <= max(left.double.magnitude, right.double.magnitude).ulp
        }
    }

    private struct Name: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { return nil }
    }

    init(from decoder: any Decoder) throws {
        if let object = try? decoder.container(keyedBy: Name.self) {
            var members: [String: JSONOracle] = [:]
            for name in object.allKeys { members[name.stringValue] = try object.decode(JSONOracle.self, forKey: name) }
            self = .object(members)
        } else if var list = try? decoder.unkeyedContainer() {
            var items: [JSONOracle] = []
            while !list.isAtEnd { items.append(try list.decode(JSONOracle.self)) }
            self = .list(items)
        } else {
            let value = try decoder.singleValueContainer()
            if value.decodeNil() {
                self = .null
            } else if let text = try? value.decode(String.self) {
                self = .text(text)
            } else if let boolean = try? value.decode(Bool.self) {
                self = .boolean(boolean)
            } else if let number = try? value.decode(Double.self) {
                self = .number(Figure(double: number))
            } else {
                // It takes `0e8` for a decimal, and for no double.
                self = (try? value.decode(Decimal.self)) == 0 ? .number(Figure(double: 0)) : .unreadable
            }
        }
    }

    /// The same of ours. Of members with the same name the first counts.
    init(_ value: JSONValue) {
        switch value.kind {
        case .object:
            // A name that is no Unicode is none for us; Foundation gives the object up.
            var members: [String: JSONOracle]? = [:]
            for member in value.children {
                guard let name = member.name else {
                    members = nil
                    break
                }
                if members?[name] == nil { members?[name] = JSONOracle(member) }
            }
            self = members.map { .object($0) } ?? .unreadable
        case .list: self = .list(value.children.map { JSONOracle($0) })
        case .text, .escapedText: self = value.text.map { .text($0) } ?? .unreadable
        case .number: self = value.double.map { .number(Figure(double: $0)) } ?? .unreadable
        case .true: self = .boolean(true)
        case .false: self = .boolean(false)
        case .null: self = .null
        }
    }

    /// Whether everything in it could be read.
    var isWhole: Bool {
        switch self {
        case .object(let members): members.values.allSatisfy(\.isWhole)
        case .list(let items): items.allSatisfy(\.isWhole)
        case .unreadable: false
        default: true
        }
    }
}
