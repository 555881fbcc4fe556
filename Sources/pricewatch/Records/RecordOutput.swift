import ArgumentParser
import Foundation
import Markets

enum RecordFormat: String, ExpressibleByArgument, CaseIterable {
    case table, csv, json, ndjson
}

/// Writes rows as they arrive, in one of the formats; a table is written at the end, when its widths are known.
struct RecordOutput: ~Copyable {
    private let columns: [String]
    private let format: RecordFormat
    private var output = StandardOutput()
    private var table: Table
    private var isFirst = true

    init(_ columns: [String], _ format: RecordFormat) {
        self.columns = columns
        self.format = format
        table = Table(columns.map { ($0, ["market", "currency", "feed"].contains($0) ? .left : .right) })
        switch format {
        case .csv: output.line(columns.joined(separator: ","))
        case .json: output.write("[")
        case .table, .ndjson: break
        }
    }

    mutating func write(_ values: [RecordValue]) {
        switch format {
        case .table: table.add(values.map { Table.Cell($0.csv) })
        case .csv: output.line(values.map { CSV.quoted($0.csv) }.joined(separator: ","))
        case .json:
            output.write(isFirst ? "\n" : ",\n")
            output.write(object(values))
        case .ndjson:
            output.write(object(values))
            output.line()
        }
        isFirst = false
    }

    mutating func finish() {
        switch format {
        case .table:
            let terminal = Terminal(environment: ProcessInfo.processInfo.environment)
            for line in table.lines(on: terminal) { output.line(line) }
        case .json: output.line(isFirst ? "]" : "\n]")
        case .csv, .ndjson: break
        }
        output.flush()
    }

    private func object(_ values: [RecordValue]) -> [UInt8] {
        var json = JSONWriter(reserving: 256)
        json.object { json in
            for (column, value) in zip(columns, values) {
                json.name(column)
                switch value {
                case .text(let text): json.string(text)
                case .number(let literal): json.number(literal)
                case .absent: json.null()
                }
            }
        }
        return json.bytes
    }
}

extension RecordValue {
    /// nil is empty.
    var csv: String {
        switch self {
        case .text(let text), .number(let text): text
        case .absent: ""
        }
    }
}

enum CSV {
    /// RFC 4180: quoted if it contains a comma, a quote or a line break. Text that a spreadsheet would run as a formula
    /// gets a leading apostrophe; numbers do not.
    static func quoted(_ text: String) -> String {
        let isFormula = text.utf8.first.map { "=+-@".utf8.contains($0) } ?? false
        let text = isFormula && DecimalNumeral(text) == nil ? "'" + text : text
        guard text.utf8.contains(where: { $0 == 0x2C || $0 == 0x22 || $0 == 0x0A || $0 == 0x0D }) else { return text }
        return "\"" + text.replacingBytes(of: ["\""], with: "\"\"") + "\""
    }
}
