import ArgumentParser
import Foundation
import History
import Markets

struct HistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Recorded prices of one market, or candles with --every; oldest first.")

    @OptionGroup var installation: InstallationOptions
    @Argument(help: "The market's id, such as bitcoin.")
    var market: String
    @Option(help: "From when on: a time, a date, or how long ago.", transform: TimeArgument.parse)
    var since = TimeArgument.ago(.hours(24))
    @Option(help: "Until when; that moment itself no longer counts.", transform: TimeArgument.parse)
    var until: TimeArgument?
    @Option(help: "Candles of this length, 1m to 7d.", transform: CandleLength.parse)
    var every: Duration?
    @Option(help: "table, csv, json or ndjson.")
    var format = RecordFormat.table

    func run() async throws {
        try await Complaint.reporting {
            let configuration = try installation.readForQuestions().configuration
            let reader = try HistoryReader(at: configuration.history.database)
            let (market, currency) = try RecordedMarket.find(market, in: reader, preferring: configuration.currency)
            let now = Date()
            var output = RecordOutput(every == nil ? Records.sampleColumns : Records.candleColumns, format)
            var candles = every.map(CandleBuilder.init(length:))
            try reader.samples(of: market, in: currency, since: since.date(now: now), until: until?.date(now: now)) {
                sample in
                guard candles != nil else { return output.write(Records.values(of: sample)) }
                guard sample.confirmed, let candle = candles?.add(sample.price, quotedAt: sample.quotedAt) else {
                    return
                }
                output.write(Records.values(of: candle, market, currency))
            }
            if let candle = candles?.finish() { output.write(Records.values(of: candle, market, currency)) }
            output.finish()
        }
    }
}

/// The lengths that `--every` takes.
enum CandleLength {
    @Sendable static func parse(_ text: String) throws -> Duration {
        guard let length = Duration(unitsText: text), length >= .minutes(1), length <= .hours(7 * 24) else {
            throw ValidationError("'\(text)' is no candle length: write 1m to 7d, such as 15m, 1h or 1d")
        }
        return length
    }
}
