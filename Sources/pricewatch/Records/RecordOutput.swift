import ArgumentParser
import Foundation
import History
import Markets
import Views

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
        case .table: table.add(values.map { Table.Cell($0.text) })
        case .csv: output.line(values.map { CSV.quoted($0.text) }.joined(separator: ","))
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
            for line in table.lines(on: .output) { output.line(line) }
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

/// The columns of exported rows: those of the views `prices` and `candles`, with ISO times and exact prices.
enum Records {
    static let sampleColumns = ["market", "quoted_at", "fetched_at", "price", "currency", "feed", "confirmed"]

    static func values(of sample: RecordedSample) -> [RecordValue] {
        [
            .text(sample.market.text), .text(sample.quotedAt.utcText), .text(sample.fetchedAt.utcText),
            .text(sample.price.description), .text(sample.currency.code), sample.feed.map(RecordValue.text) ?? .absent,
            .number(sample.confirmed ? "1" : "0"),
        ]
    }

    static let candleColumns = [
        "market", "currency", "start", "open", "high", "low", "close", "samples", "volume_24h", "market_cap",
    ]

    static func values(of candle: Candle, _ market: MarketID, _ currency: Currency) -> [RecordValue] {
        let prices = [candle.open, candle.high, candle.low, candle.close].map { RecordValue.text($0.description) }
        return [.text(market.text), .text(currency.code), .text(candle.start.utcText)] + prices + [
            .number("\(candle.samples)"), .amount(candle.volume24h), .amount(candle.marketCap),
        ]
    }
}

/// One field of an exported row.
enum RecordValue {
    case text(String)
    /// A number, written as it is.
    case number(String)
    case absent

    /// Empty if absent.
    var text: String {
        switch self {
        case .text(let text), .number(let text): text
        case .absent: ""
        }
    }

    /// An amount of money, written without an exponent. Its range is larger than that of a price.
    static func amount(_ value: Double?) -> RecordValue {
        guard let value, value.isFinite, let numeral = DecimalNumeral("\(value)") else { return .absent }
        return .number(numeral.plainText)
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
