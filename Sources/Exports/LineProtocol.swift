import Engine
import Markets

/// Samples and alert states in InfluxDB's line protocol, times in milliseconds since 1970.
///
/// `pricewatch,currency=usd,market=bitcoin price=61926.35 1795302792000`: tags are sorted, values are exact decimals
/// without a suffix, since the first `i` would make the field an integer for good. VictoriaMetrics names such a series
/// `pricewatch_price{currency="usd",market="bitcoin"}`.
struct LineProtocol: Sendable {
    private(set) var bytes: [UInt8] = []
    /// Behind the line break of each line.
    private var ends: [Int] = []

    private static let measurement = "pricewatch"
    private static let special = Array("\\,=".utf8)

    init(_ batch: ExportBatch) {
        bytes.reserveCapacity(96 * (batch.samples.count + batch.alerts.count))
        ends.reserveCapacity(batch.samples.count + batch.alerts.count)
        for sample in batch.samples { append(sample) }
        for alert in batch.alerts { append(alert) }
    }

    var count: Int { ends.count }

    /// The lines of a range, each with its line break.
    subscript(range: Range<Int>) -> ArraySlice<UInt8> {
        let start = range.lowerBound == 0 ? 0 : ends[range.lowerBound - 1]
        return bytes[start..<(range.isEmpty ? start : ends[range.upperBound - 1])]
    }

    /// A line without its line break.
    func text(_ line: Int) -> String { String(decoding: self[line..<(line + 1)].dropLast(), as: UTF8.self) }

    private mutating func append(_ sample: ExportedSample) {
        append(tags: [("currency", sample.currency.code), ("market", sample.market.text)], field: "price")
        sample.price.appendDigits(to: &bytes)
        end(at: sample.quotedAt.milliseconds)
    }

    private mutating func append(_ alert: ExportedAlert) {
        append(
            tags: [("market", alert.market.text), ("rule", alert.rule), ("severity", alert.severity.rawValue)],
            field: "alert_firing")
        bytes.append(UInt8(ascii: alert.isFiring ? "1" : "0"))
        end(at: alert.at.milliseconds)
    }

    private mutating func append(tags: [(name: String, value: String)], field: String) {
        bytes.append(contentsOf: Self.measurement.utf8)
        for (name, value) in tags {
            bytes.append(UInt8(ascii: ","))
            bytes.append(contentsOf: name.utf8)
            bytes.append(UInt8(ascii: "="))
            append(value)
        }
        bytes.append(UInt8(ascii: " "))
        bytes.append(contentsOf: field.utf8)
        bytes.append(UInt8(ascii: "="))
    }

    private mutating func append(_ value: String) {
        // Nearly all are plain, which is told faster than they are replaced.
        let isPlain = value.utf8.allSatisfy { (0x21..<0x7F).contains($0) && !Self.special.contains($0) }
        bytes.append(contentsOf: (isPlain ? value : Self.escaped(Self.tagValue(value))).utf8)
    }

    private mutating func end(at milliseconds: Int64) {
        bytes.append(UInt8(ascii: " "))
        bytes.append(contentsOf: String(milliseconds).utf8)
        bytes.append(UInt8(ascii: "\n"))
        ends.append(bytes.count)
    }

    /// The value of a tag as an engine stores it.
    ///
    /// A backslash becomes U+FF3C, since engines disagree on it: VictoriaMetrics reads `\\` as one, InfluxDB as two, and
    /// at the end of a value it escapes the separator. What cannot be shown becomes U+FFFD: a line break ends a line.
    static func tagValue(_ text: String) -> String {
        text.replacingScalars { $0 == "\\" ? "\u{FF3C}" : $0.isUnprintable ? "\u{FFFD}" : nil }
    }

    private static func escaped(_ value: String) -> String {
        value.replacingScalars { ",= ".unicodeScalars.contains($0) ? "\\\($0)" : nil }
    }
}
