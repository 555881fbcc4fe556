import Foundation
import Testing

/// As much of JSON Schema 2020-12 as the project's own schema uses; a word it does not know is an error.
struct JSONSchema {
    private let root: [String: Any]

    init(at path: String) throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        root = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    /// What is wrong with `json`, each with its place.
    func faults(in json: [UInt8]) throws -> [String] {
        faults(try JSONSerialization.jsonObject(with: Data(json), options: .fragmentsAllowed), root, "$")
    }

    /// The fields that `definition` describes.
    func fields(of definition: String) -> Set<String> {
        let all = root["$defs"] as? [String: [String: Any]]
        return Set((all?[definition]?["properties"] as? [String: Any])?.keys.map { $0 } ?? [])
    }

    private func faults(_ value: Any, _ schema: [String: Any], _ place: String) -> [String] {
        var faults: [String] = []
        for (word, rule) in schema {
            switch word {
            case "$schema", "$defs", "title", "description": break
            case "$ref": faults += self.faults(value, referred(rule), place)
            case "anyOf":
                let branches = rule as? [[String: Any]] ?? []
                if !branches.contains(where: { self.faults(value, $0, place).isEmpty }) {
                    faults.append("\(place): anyOf")
                }
            case "const":
                if value as? NSNumber != rule as? NSNumber { faults.append("\(place): const") }
            case "enum":
                if !(rule as? [String] ?? []).contains(value as? String ?? "") { faults.append("\(place): enum") }
            case "type":
                let types = rule as? [String] ?? [rule as? String ?? ""]
                if !types.contains(where: { Self.isOf($0, value) }) { faults.append("\(place): type \(types)") }
            case "pattern":
                if let text = value as? String,
                    text.range(of: rule as? String ?? "", options: .regularExpression) == nil
                {
                    faults.append("\(place): pattern")
                }
            case "minimum":
                if let number = value as? NSNumber, number.doubleValue < (rule as? NSNumber)?.doubleValue ?? 0 {
                    faults.append("\(place): minimum")
                }
            case "required":
                guard let object = value as? [String: Any] else { break }
                faults += (rule as? [String] ?? []).filter { object[$0] == nil }.map { "\(place): lacks \($0)" }
            case "properties":
                guard let object = value as? [String: Any] else { break }
                for (name, schema) in rule as? [String: [String: Any]] ?? [:] {
                    if let member = object[name] { faults += self.faults(member, schema, "\(place).\(name)") }
                }
            case "items":
                for (index, item) in (value as? [Any] ?? []).enumerated() {
                    faults += self.faults(item, rule as? [String: Any] ?? [:], "\(place)[\(index)]")
                }
            default: faults.append("\(place): the schema's word \(word) is not known here")
            }
        }
        return faults
    }

    private func referred(_ reference: Any) -> [String: Any] {
        let name = (reference as? String ?? "").replacing("#/$defs/", with: "")
        return (root["$defs"] as? [String: [String: Any]])?[name] ?? ["no such definition": name]
    }

    private static func isOf(_ type: String, _ value: Any) -> Bool {
        switch type {
        case "object": value is [String: Any]
        case "array": value is [Any]
        case "string": value is String
        case "null": value is NSNull
        case "number": value is NSNumber
        case "integer": (value as? NSNumber).map { $0.doubleValue == $0.doubleValue.rounded() } ?? false
        default: false
        }
    }
}
