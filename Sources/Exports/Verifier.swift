import Engine
import Foundation
import HTTP
import Markets

/// Compares what a VictoriaMetrics holds with recorded samples, and sends what is missing.
package struct Verifier: Sendable {
    private let exporter: Exporter
    private let base: String
    private let time: any TimeSource
    /// Whether samples that are sent again become visible; false once some did not.
    private var settles = true

    /// Series and samples that one request asks for. Fifty thousand samples are about 2 MB.
    private static let most = (series: 500, samples: 50_000)
    /// Lines of one request.
    private static let mostSent = 20_000
    /// Bytes of an answer. The network unpacks no more.
    private static let bodyLimit = 8 << 20
    /// How often samples that were sent are looked for, a second apart.
    private static let looks = 15

    /// Throws if the address does not say where to read.
    package init(_ exporter: Exporter, time: any TimeSource) throws(ReadFault) {
        guard let base = exporter.client.address.readBase else {
            throw .failed(
                "read from \(exporter.name): the URL does not show where a VictoriaMetrics is read (add query: the URL in "
                    + "front of /api/v1/export; other engines cannot be verified)")
        }
        (self.exporter, self.base, self.time) = (exporter, base, time)
    }

    /// Makes what a single VictoriaMetrics has just taken visible; a cluster has no such request, and needs none for
    /// what is older than a few seconds.
    package func flush() async {
        _ = try? await exporter.client.read(base + "/internal/force_flush", upTo: Self.bodyLimit)
    }

    /// Compares the samples of these series within a range of times, one request at a time.
    ///
    /// - Parameter repairs: sends missing samples, and looks whether they arrived.
    package mutating func compare(
        _ series: [RecordedSeries], in range: Range<Date>, repairs: Bool
    ) async throws(ReadFault) -> [Comparison] {
        let part = Part(series: series, range: range.lowerBound.milliseconds..<range.upperBound.milliseconds)
        return try await compare(part, repairs: repairs)
    }

    private mutating func compare(_ part: Part, repairs: Bool) async throws(ReadFault) -> [Comparison] {
        let isLarge = part.series.count > Self.most.series || part.samples > Self.most.samples
        if isLarge, let (first, second) = part.halves {
            return Self.joined(
                try await compare(first, repairs: repairs), try await compare(second, repairs: repairs))
        }
        do throws(ReadFault) {
            let found = try await read(part)
            return repairs ? try await repaired(part, found) : found
        } catch .tooLarge {
            guard let (first, second) = part.halves else {
                throw .failed("read from \(exporter.name): more than \(Self.bodyLimit) bytes for one sample")
            }
            return Self.joined(
                try await compare(first, repairs: repairs), try await compare(second, repairs: repairs))
        } catch {
            throw error
        }
    }

    /// One request.
    private func read(_ part: Part) async throws(ReadFault) -> [Comparison] {
        let client = exporter.client
        let names = part.series.map { SeriesName($0.market, $0.currency) }
        let selectors = names.map { ("match[]", $0.selector(in: client.address.database)) }
        let body = try await client.read(
            base + "/api/v1/export",
            form: Self.form(
                selectors + [("start", part.range.lowerBound.secondsText), ("end", part.range.upperBound.secondsText)]),
            upTo: Self.bodyLimit)
        guard let lines = ReadSeries.lines(of: body) else {
            throw .failed(
                "read from \(exporter.name): the answer is not that of VictoriaMetrics' /api/v1/export (it begins with "
                    + SafeText.quoted(client.address.redaction.apply(to: body)) + ")")
        }
        let held = Dictionary(grouping: lines) { SeriesName($0.metric) }
        return zip(part.series, names).map { series, name in
            Comparison(of: series, with: held[name] ?? [], in: part.range)
        }
    }

    /// Sends what is missing, and compares again until it is there or the engine has had its time.
    private mutating func repaired(_ part: Part, _ found: [Comparison]) async throws(ReadFault) -> [Comparison] {
        let lost = found.flatMap { comparison in
            comparison.missing.map {
                ExportedSample(
                    market: comparison.market, currency: comparison.currency, price: $0.price, quotedAt: $0.quotedAt)
            }
        }
        guard !lost.isEmpty else { return found }
        for start in stride(from: 0, to: lost.count, by: Self.mostSent) {
            let samples = Array(lost[start..<min(start + Self.mostSent, lost.count)])
            switch await exporter.send(ExportBatch(samples: samples, upTo: 0)) {
            // Refused lines stay missing.
            case .sent: break
            case .failed(let cause, _), .blocked(let cause): throw .failed(cause)
            case .interrupted: throw .failed("export to \(exporter.name): interrupted")
            }
        }
        var again = found
        for look in 1...Self.looks {
            await flush()
            again = try await read(part)
            if again.allSatisfy({ $0.missing.isEmpty }) { break }
            guard settles, look < Self.looks else {
                settles = false
                break
            }
            do { try await time.sleep(for: .seconds(1)) } catch { throw .failed("interrupted") }
        }
        for place in again.indices {
            again[place].repaired = max(0, found[place].missing.count - again[place].missing.count)
        }
        return again
    }

    // MARK: Parts

    /// What one request asks for.
    private struct Part {
        var series: [RecordedSeries]
        /// Milliseconds since 1970.
        var range: Range<Int64>

        var samples: Int { series.reduce(0) { $0 + $1.samples.count } }

        /// By series, or the only one by time; nil for a single moment.
        var halves: (Part, Part)? {
            if series.count > 1 {
                let middle = series.count / 2
                return (
                    Part(series: Array(series[..<middle]), range: range),
                    Part(series: Array(series[middle...]), range: range)
                )
            }
            guard let only = series.first, range.count > 1 else { return nil }
            let samples = only.samples
            let median = samples.isEmpty ? nil : samples[samples.count / 2].quotedAt.milliseconds
            let middle = range.lowerBound + Int64(range.count / 2)
            let time = median.map { range.dropFirst().contains($0) ? $0 : middle } ?? middle
            func part(_ range: Range<Int64>) -> Part {
                var series = only
                series.samples = samples.filter { range.contains($0.quotedAt.milliseconds) }
                return Part(series: [series], range: range)
            }
            return (part(range.lowerBound..<time), part(time..<range.upperBound))
        }
    }

    private static func joined(_ first: [Comparison], _ second: [Comparison]) -> [Comparison] {
        guard first.count == 1, second.count == 1, first[0].market == second[0].market,
            first[0].currency == second[0].currency
        else { return first + second }
        var whole = first[0]
        whole.add(second[0])
        return [whole]
    }

    private static func form(_ items: [(name: String, value: String)]) -> String {
        items.map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }.joined(separator: "&")
    }
}

extension Int64 {
    /// Milliseconds as seconds: `1795302792.000`.
    fileprivate var secondsText: String {
        let rest = String(self % 1000)
        return "\(self / 1000)." + String(repeating: "0", count: 3 - rest.utf8.count) + rest
    }
}
