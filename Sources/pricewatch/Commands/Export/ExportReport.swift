import Exports
import Foundation
import HTTP
import History
import Markets
import Views

/// What a verification of one export found.
struct ExportReport: Sendable {
    let name: String
    let range: Range<Date>
    var markets = 0
    /// Samples of the history that were compared.
    var recorded = 0
    var repaired = 0
    var foreign = 0
    /// The series in which the engine lacks a sample, or has it twice or with another price.
    var differing: [Comparison] = []

    /// What was polled within this time is left out: an engine shows what it took after some seconds.
    private static let settling = Duration.seconds(60)
    /// Bounds the samples of one series that are in memory: a week is 604,800 at a poll a second.
    private static let span = Duration.hours(7 * 24)
    /// Series that are held before they are compared.
    private static let most = (series: 500, samples: 50_000)

    private init(_ name: String, _ range: Range<Date>) { (self.name, self.range) = (name, range) }

    /// Throws 65 if nothing was sent, 69 if the engine gives no usable answer.
    static func verified(
        _ exporter: Exporter, _ reader: HistoryReader, since: TimeArgument, repairs: Bool, in zone: Zone,
        time: any TimeSource = SystemTime()
    ) async throws -> ExportReport {
        let (now, name) = (time.now(), exporter.name)
        let start = since.date(now: now, in: zone)
        guard start < now else { throw CommandError("export verify: --since lies in the future", Exit.usage) }
        guard let sent = try reader.newestPoll(sentBy: name), sent > 0 else {
            throw CommandError(
                "export verify \(SafeText.printable(name)): nothing was sent to it yet (the daemon sends: pricewatch "
                    + "status)", Exit.noSuchData)
        }
        var report = ExportReport(name, start..<max(start, now - settling))
        do {
            var verifier = try Verifier(exporter, time: time)
            await verifier.flush()
            try await report.compare(reader, upTo: sent, &verifier, repairs: repairs)
        } catch ReadFault.failed(let cause) {
            throw CommandError("export verify: \(cause)", Exit.noAnswer)
        }
        return report
    }

    private mutating func compare(
        _ reader: HistoryReader, upTo sent: Int64, _ verifier: inout Verifier, repairs: Bool
    ) async throws {
        let all = try reader.recordedSeries()
        markets = all.count
        var found: [Int: Comparison] = [:]
        var start = range.lowerBound
        // Few quotes are older than the oldest poll.
        var end = max(start, try reader.oldestPoll() ?? start)
        while start < range.upperBound {
            end = min(end + Self.span, range.upperBound)
            let span = start..<end
            var held: [(place: Int, series: RecordedSeries)] = []
            var samples = 0
            for (place, (market, currency)) in all.enumerated() {
                let confirmed = try reader.confirmedSamples(
                    of: market, in: currency, since: start, until: end, upTo: sent, settled: range.upperBound
                ).map { RecordedSeries.Sample(quotedAt: $0.quotedAt, price: $0.price, isSent: $0.isSent) }
                held.append((place, RecordedSeries(market: market, currency: currency, samples: confirmed)))
                samples += confirmed.count
                guard samples >= Self.most.samples || held.count >= Self.most.series || place == all.count - 1 else {
                    continue
                }
                let compared = try await verifier.compare(held.map(\.series), in: span, repairs: repairs)
                for (place, comparison) in zip(held.map(\.place), compared) { add(comparison, at: place, to: &found) }
                (held, samples) = ([], 0)
            }
            start = end
        }
        differing = found.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Keeps only series that differ: there may be many.
    private mutating func add(_ comparison: Comparison, at place: Int, to found: inout [Int: Comparison]) {
        recorded += comparison.recorded
        repaired += comparison.repaired
        foreign += comparison.foreign
        guard !comparison.isEqual else { return }
        if found[place] == nil { found[place] = comparison } else { found[place]?.add(comparison) }
    }
}

// MARK: Output

extension ExportReport {
    private static let shown = 20

    func lines(in zone: Zone, on terminal: Terminal) -> [String] {
        let verdict = differing.isEmpty ? "equal" : "different"
        let compared = "\(recorded.counted("sample")) of \(markets.counted("market"))"
        var lines = ["\(SafeText.printable(name)): \(verdict): \(compared) since \(zone.text(range.lowerBound))"]
        if repaired > 0 { lines.append("sent again, and found: \(repaired.counted("sample"))") }
        if foreign > 0 {
            lines.append(
                "\(foreign.counted("sample")) there that this history does not hold (another daemon's, or pruned)")
        }
        guard !differing.isEmpty else { return lines }
        var table = Table([
            ("market", .left), ("currency", .left), ("samples", .right), ("missing", .right), ("different", .right),
            ("doubled", .right), ("from", .left), ("to", .left),
        ])
        for series in differing.prefix(Self.shown) {
            table.add(
                [
                    series.market.text, series.currency.code, "\(series.recorded)", "\(series.missing.count)",
                    "\(series.different)", "\(series.doubled)", series.span.map { zone.text($0.lowerBound) } ?? "",
                    series.span.map { zone.text($0.upperBound) } ?? "",
                ].map { Table.Cell($0) })
        }
        lines += table.lines(on: terminal)
        if differing.count > Self.shown { lines.append("… and \((differing.count - Self.shown).counted("market"))") }
        return lines + hints
    }

    private var hints: [String] {
        var hints: [String] = []
        if repaired == 0, differing.contains(where: { !$0.missing.isEmpty }) {
            hints.append("send what is missing again: pricewatch export verify \(SafeText.printable(name)) --repair")
        }
        if differing.contains(where: { $0.doubled > 0 }) {
            hints.append("doubled samples: start VictoriaMetrics with -dedup.minScrapeInterval=1ms")
        }
        return hints
    }

    static func json(_ reports: [ExportReport]) -> String {
        var json = JSONWriter()
        json.object { json in
            json.member("schema", 1)
            json.array("exports", reports) { $1.write(&$0) }
        }
        return json.text
    }

    private func write(_ json: inout JSONWriter) {
        json.object { json in
            json.member("name", name)
            json.member("since", range.lowerBound)
            json.member("until", range.upperBound)
            json.member("equal", differing.isEmpty)
            json.member("markets", markets)
            json.member("samples", recorded)
            json.member("repaired", repaired)
            json.member("foreign", foreign)
            json.array("differing", differing) { json, series in
                json.object { json in
                    json.member("market", series.market.text)
                    json.member("currency", series.currency.code)
                    json.member("samples", series.recorded)
                    json.member("missing", series.missing.count)
                    json.member("different", series.different)
                    json.member("doubled", series.doubled)
                    json.member("first_at", series.span?.lowerBound)
                    json.member("last_at", series.span?.upperBound)
                }
            }
        }
    }
}
