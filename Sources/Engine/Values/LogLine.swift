import Foundation
import Markets

/// One event of the log.
package struct LogLine: Sendable {
    package var level: Level
    /// From a fixed set of names, such as `poll.ok`.
    package var event: String
    package var fields = LogFields()

    package enum Level: Int, Comparable, Sendable {
        case debug, info, warning, error

        package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    package init(_ level: Level, _ event: String, _ fill: (inout LogFields) -> Void = { _ in }) {
        self.level = level
        self.event = event
        fill(&fields)
    }
}

/// The `key=value` pairs of a log line, in output order.
package struct LogFields: Sendable, CustomStringConvertible {
    package private(set) var pairs: [(key: String, value: LogValue)] = []

    package init() {}

    package mutating func add(_ key: String, _ value: String?) { if let value { pairs.append((key, .text(value))) } }
    package mutating func add(_ key: String, _ value: Int?) {
        if let value { pairs.append((key, .number(String(value)))) }
    }
    package mutating func add(_ key: String, _ value: Percent?) {
        if let value { pairs.append((key, .number(value.description))) }
    }
    /// - Parameter literal: a number as JSON writes it.
    package mutating func add(_ key: String, number literal: String) { pairs.append((key, .number(literal))) }
    package mutating func add(_ key: String, _ value: Price?) { add(key, value?.description) }
    package mutating func add(_ key: String, _ value: Date?) { add(key, value?.utcText) }
    package mutating func add(_ key: String, _ value: Duration?) { add(key, value?.unitsText) }

    /// ` key=value` for each; a value that is not one plain word is a JSON string.
    package var description: String { pairs.map { " \($0.key)=\($0.value.word)" }.joined() }
}

package enum LogValue: Sendable {
    case text(String)
    /// A number as JSON writes it.
    case number(String)

    package var word: String {
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

extension [String] {
    /// `bitcoin, ethereum, tether and 2 more`
    package func listed(upTo most: Int = 3) -> String {
        prefix(most).joined(separator: ", ") + (count > most ? " and \(count - most) more" : "")
    }
}
