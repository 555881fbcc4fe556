import ArgumentParser
import Foundation
import History
import Markets

struct HistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Recorded prices, or candles with --every; oldest first.",
        discussion: "Several markets come one after the other; each row names its own.")

    @OptionGroup var installation: InstallationOptions
    @Argument(help: ArgumentHelp("The markets' ids, such as bitcoin.", valueName: "market"))
    var markets: [String] = []
    @Flag(help: "Every market with recorded prices, by id.")
    var all = false
    @Option(help: "From when on: a time, a date, or how long ago. (default: 24h)", transform: TimeArgument.parse)
    var since = TimeArgument.ago(.hours(24))
    @Option(help: "Until when; that moment itself no longer counts. (default: now)", transform: TimeArgument.parse)
    var until: TimeArgument?
    @Option(help: "Candles of this length, 1m to 7d.", transform: HistoryCommand.candleLength)
    var every: Duration?
    @Option(help: "table, csv, json or ndjson.")
    var format = RecordFormat.table
    @Flag(help: "The same as --format json.")
    var json = false

    func validate() throws {
        guard markets.isEmpty == all else { throw ValidationError("name one or more markets, or use --all") }
    }

    func run() async throws {
        let (configuration, reader) = try installation.openHistory()
        let currency = configuration.currency
        let wanted =
            all
            ? try RecordedMarket.all(in: reader, preferring: currency)
            : try markets.map { try RecordedMarket.find($0, in: reader, preferring: currency) }
        let now = Date()
        let (since, until) = (
            since.date(now: now, in: configuration.zone), until?.date(now: now, in: configuration.zone)
        )
        let format = json ? .json : format
        var output = RecordOutput(every == nil ? Records.sampleColumns : Records.candleColumns, format)
        // nil: as programs read them.
        let zone = format == .table ? configuration.zone : nil
        for (market, currency) in wanted {
            if let every {
                try reader.candles(of: market, in: currency, every: every, since: since, until: until) { candle in
                    output.write(Records.values(of: candle, market, currency, in: zone))
                }
            } else {
                try reader.samples(of: market, in: currency, since: since, until: until) { sample in
                    output.write(Records.values(of: sample, in: zone))
                }
            }
            output.endMarket()
        }
        output.finish()
    }

    @Sendable private static func candleLength(_ text: String) throws -> Duration {
        guard let length = Duration(unitsText: text), length >= .minutes(1), length <= .hours(7 * 24) else {
            throw ValidationError("'\(text)' is no candle length: write 1m to 7d, such as 15m, 1h or 1d")
        }
        return length
    }
}
