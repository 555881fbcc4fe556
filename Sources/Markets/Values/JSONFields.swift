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
    package typealias Members = KeyedDecodingContainer<JSONKey>

    private let members: Members?

    /// Nil if the text is no JSON object.
    package static func read<Record: JSONRecord>(_ text: Data) -> Record? {
        try? JSONDecoder().decode(DecodedRecord<Record>.self, from: text).record
    }

    fileprivate init(_ decoder: any Decoder) throws { members = try decoder.container(keyedBy: JSONKey.self) }

    private init(_ members: Members?) { self.members = members }

    package mutating func member<Value: JSONScalar>(_ name: StaticString, _ value: inout Value) {
        guard let members, let json = Value.JSONForm.read(members, JSONKey(name)) else { return }
        value = Value(json: json) ?? value
    }

    package mutating func object(_ name: StaticString, _ body: (inout JSONReader) -> Void) {
        var reader = JSONReader(try? members?.nestedContainer(keyedBy: JSONKey.self, forKey: JSONKey(name)))
        body(&reader)
    }

    package mutating func object<Record: JSONRecord>(_ name: StaticString, _ record: inout Record?) {
        record = (try? members?.decode(DecodedRecord<Record>.self, forKey: JSONKey(name)))?.record
    }

    package mutating func array<Record: JSONRecord>(_ name: StaticString, _ records: inout [Record]) {
        let decoded = try? members?.decode([DecodedRecord<Record>].self, forKey: JSONKey(name))
        records = (decoded ?? []).map(\.record)
    }
}

private struct DecodedRecord<Record: JSONRecord>: Decodable {
    var record = Record()

    init(from decoder: any Decoder) throws {
        var reader = try JSONReader(decoder)
        record.fields(&reader)
    }
}

package struct JSONKey: CodingKey {
    package let stringValue: String
    package var intValue: Int? { nil }

    init(_ name: StaticString) { stringValue = name.description }
    package init?(stringValue: String) { self.stringValue = stringValue }
    package init?(intValue: Int) { nil }
}
