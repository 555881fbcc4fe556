import Foundation

/// Writes or reads the members of a JSON object: a record lists its fields once, for both directions.
package protocol JSONFields {
    mutating func member<Value: JSONScalar>(_ name: StaticString, _ value: inout Value)
    mutating func object(_ name: StaticString, _ body: (inout Self) -> Void)
    mutating func object<Record: JSONRecord>(_ name: StaticString, _ record: inout Record?)
    mutating func array<Record: JSONRecord>(_ name: StaticString, _ records: inout [Record])
}

/// An object with a fixed list of fields.
package protocol JSONRecord: Sendable {
    /// Placeholders, to be read into.
    init()
    mutating func fields(_ json: inout some JSONFields)
}

extension JSONRecord {
    package func write(_ json: inout JSONWriter) {
        var record = self
        json.object { record.fields(&$0) }
    }
}

extension JSONWriter: JSONFields {
    package mutating func member<Value: JSONScalar>(_ name: StaticString, _ value: inout Value) {
        member(name, value)
    }

    package mutating func object<Record: JSONRecord>(_ name: StaticString, _ record: inout Record?) {
        key(name)
        if let record { record.write(&self) } else { null() }
    }

    package mutating func array<Record: JSONRecord>(_ name: StaticString, _ records: inout [Record]) {
        key(name)
        array { json in
            for var record in records { json.object { record.fields(&$0) } }
        }
    }
}

/// Reads a JSON object. The text may be of another release: a member that is absent, or is none of ours, leaves the
/// field as it is.
package struct JSONReader: JSONFields {
    private let members: [String: Any]

    /// Nil if the text is no JSON object.
    package static func read<Record: JSONRecord>(_ text: Data) -> Record? {
        (try? JSONSerialization.jsonObject(with: text) as? [String: Any]).map(record)
    }

    private static func record<Record: JSONRecord>(_ members: [String: Any]) -> Record {
        var record = Record()
        var reader = JSONReader(members: members)
        record.fields(&reader)
        return record
    }

    package mutating func member<Value: JSONScalar>(_ name: StaticString, _ value: inout Value) {
        guard let json = members[name.description] as? Value.JSONForm else { return }
        value = Value(json: json) ?? value
    }

    package mutating func object(_ name: StaticString, _ body: (inout JSONReader) -> Void) {
        var reader = JSONReader(members: members[name.description] as? [String: Any] ?? [:])
        body(&reader)
    }

    package mutating func object<Record: JSONRecord>(_ name: StaticString, _ record: inout Record?) {
        record = (members[name.description] as? [String: Any]).map(Self.record)
    }

    package mutating func array<Record: JSONRecord>(_ name: StaticString, _ records: inout [Record]) {
        records = (members[name.description] as? [[String: Any]] ?? []).map(Self.record)
    }
}
