import Engine
import Foundation
import Markets

/// The `key=value` pairs of a log line, in the order in which they are to stand.
struct LogFields: Sendable, CustomStringConvertible {
    private(set) var pairs: [(key: String, value: LogValue)] = []

    mutating func add(_ key: String, _ value: String?) { if let value { pairs.append((key, .text(value))) } }
    mutating func add(_ key: String, _ value: Int?) { if let value { pairs.append((key, .number(String(value)))) } }
    mutating func add(_ key: String, _ value: Percent?) {
        if let value { pairs.append((key, .number(value.description))) }
    }
    mutating func add(_ key: String, _ value: CoverageShare) { pairs.append((key, .number(value.description))) }
    mutating func add(_ key: String, _ value: Price?) { add(key, value?.description) }
    mutating func add(_ key: String, _ value: Date?) { add(key, value?.utcText) }
    mutating func add(_ key: String, _ value: Duration?) { add(key, value?.unitsText) }

    /// ` key=value` for each; a value that is not one plain word is a JSON string.
    var description: String { pairs.map { " \($0.key)=\($0.value.word)" }.joined() }
}

enum LogValue: Sendable {
    case text(String)
    /// A number as it is to stand in JSON, too.
    case number(String)

    var word: String {
        switch self {
        case .number(let literal): literal
        case .text(let text): text.isEmpty || !text.utf8.allSatisfy(Self.isPlain) ? JSONString.quoted(text) : text
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "_.:/@%+,-".utf8.contains(byte)
        }
    }
}
