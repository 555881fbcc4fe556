import ArgumentParser
import Foundation
import History
import Markets
import Views

enum RecordFormat: String, ExpressibleByArgument, CaseIterable {
    case table, csv, json, ndjson
}

/// The fields of exported rows: those of the views `prices` and `candles`, with exact prices, and ISO times where no zone
/// is given. nil is absent.
enum Records {
    static let sampleColumns = ["market", "quoted_at", "fetched_at", "price", "currency", "feed", "confirmed"]

    static func values(of sample: RecordedSample, in zone: Zone?) -> [String?] {
        [
            sample.market.text, text(sample.quotedAt, zone), text(sample.fetchedAt, zone), sample.price.description,
            sample.currency.code, sample.feed, sample.confirmed ? "1" : "0",
        ]
    }

    static let candleColumns = [
        "market", "currency", "start", "open", "high", "low", "close", "samples", "volume_24h", "market_cap",
    ]

    static func values(of candle: Candle, _ market: MarketID, _ currency: Currency, in zone: Zone?) -> [String?] {
        [
            market.text, currency.code, text(candle.start, zone), candle.open.description, candle.high.description,
            candle.low.description, candle.close.description, "\(candle.samples)", amount(candle.volume24h),
            amount(candle.marketCap),
        ]
    }

    private static func text(_ moment: Date, _ zone: Zone?) -> String { zone?.text(moment) ?? moment.utcText }

    /// An amount of money, written without an exponent. Its range is larger than that of a price.
    private static func amount(_ value: Double?) -> String? {
        value.flatMap { DecimalNumeral("\($0)")?.plainText }
    }
}

/// Writes rows as they arrive, in one of the formats; a table is written at the end, when its widths are known.
struct RecordOutput: ~Copyable {
    private let columns: [String]
    private let format: RecordFormat
    private var output = StandardOutput()
    private var table: Table
    /// Of the JSON array, or of the table.
    private var isFirst = true
    private var hasTable = false

    private static let leftAligned: Set = ["market", "currency", "feed"]
    /// Numbers in JSON; everything else is a string.
    private static let numbers: Set = ["confirmed", "samples", "volume_24h", "market_cap"]

    init(_ columns: [String], _ format: RecordFormat) {
        self.columns = columns
        self.format = format
        table = Table(columns.map { ($0, Self.leftAligned.contains($0) ? .left : .right) })
        switch format {
        case .csv: output.write(CSV.line(columns))
        case .json: output.write("[")
        case .table, .ndjson: break
        }
    }

    mutating func write(_ values: [String?]) {
        switch format {
        case .table: table.add(values.map { Table.Cell($0 ?? "") })
        case .csv: output.write(CSV.line(values))
        case .json:
            output.write(isFirst ? "\n" : ",\n")
            output.write(object(values))
        case .ndjson:
            output.write(object(values))
            output.line()
        }
        isFirst = false
    }

    /// Ends a market: each has a table of its own, so that only the rows of one are in memory. A market without rows
    /// has none.
    mutating func endMarket() {
        guard format == .table, !isFirst else { return }
        writeTable()
        table.removeRows()
        isFirst = true
    }

    private mutating func writeTable() {
        if hasTable { output.line() }
        for line in table.lines(on: .output) { output.line(line) }
        hasTable = true
    }

    mutating func finish() {
        switch format {
        case .table: if !isFirst || !hasTable { writeTable() }
        case .json: output.line(isFirst ? "]" : "\n]")
        case .csv, .ndjson: break
        }
        output.flush()
    }

    private func object(_ values: [String?]) -> [UInt8] {
        var json = JSONWriter(reserving: 256)
        json.object { json in
            for (column, value) in zip(columns, values) {
                json.name(column)
                switch value {
                case nil: json.null()
                case let number? where Self.numbers.contains(column): json.number(number)
                case let text?: json.string(text)
                }
            }
        }
        return json.bytes
    }
}

enum CSV {
    static func line(_ values: [String?]) -> String {
        values.map { quoted($0 ?? "") }.joined(separator: ",") + "\n"
    }

    /// RFC 4180: quoted if it contains a comma, a quote or a line break. Text that a spreadsheet would run as a formula
    /// gets a leading apostrophe; numbers do not.
    static func quoted(_ text: String) -> String {
        let isFormula = text.utf8.first.map { "=+-@".utf8.contains($0) } ?? false
        let text = isFormula && DecimalNumeral(text) == nil ? "'" + text : text
        guard text.utf8.contains(where: { ",\"\n\r".utf8.contains($0) }) else { return text }
        return "\"" + text.replacingBytes(of: ["\""], with: "\"\"") + "\""
    }
}
