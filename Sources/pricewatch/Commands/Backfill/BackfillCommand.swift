import ArgumentParser
import Feeds
import Foundation
import HTTP
import History
import Markets

struct BackfillCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backfill", abstract: "Heals gaps from the provider's own history, within the quota.",
        discussion: """
            Asks for nothing twice: what was answered is kept market by market, and ended with Ctrl-C it goes on there \
            next time. Works beside a running daemon and without one.
            """)

    @OptionGroup var installation: InstallationOptions
    @Option(
        help: "From when on: a time, a date, or how long ago. (default: history.backfill, which is 24h by default)",
        transform: TimeArgument.parse)
    var since: TimeArgument?
    @Argument(help: "Ids of markets, such as bitcoin; without any, those named in the configuration.")
    var markets: [String] = []

    func run() async throws {
        try await CommandError.reporting {
            let configuration = try installation.read().configuration
            let network = try NetworkTransport()
            do {
                try await backfill(configuration, network)
            } catch {
                await network.shutdown()
                throw error
            }
            await network.shutdown()
        }
    }

    private func backfill(_ configuration: Configuration, _ network: NetworkTransport) async throws {
        let store = try BackfillDatabase(at: configuration.history.database)
        let wanted = try WantedMarkets.find(markets, in: store.reader, configuration)
        let memory = FeedNotebook(store)
        let feeds = try configuration.feeds.map { feed in
            Feed(
                FeedClient(
                    try feed.madeProvider(), try FeedEnvironment(feed, timeout: configuration.poll.timeout),
                    transport: network, memory: memory, retry: RetryPolicy(configuration.poll.retry)))
        }
        let sources = configuration.pastCandidates(of: wanted).compactMap { $0.source(among: feeds) }
        let run = BackfillRun(
            configuration, store, sources, since: since ?? .ago(configuration.history.backfill ?? .hours(24)))
        for market in wanted where !sources.contains(where: { $0.market == market.id }) {
            StandardError.line("pricewatch: \(market.id): no feed has past prices of it")
        }
        guard !sources.isEmpty else {
            let names = configuration.feeds.map(\.name).joined(separator: ", ")
            throw CommandError(
                "backfill: no configured feed has historical prices of these markets (\(names)); coingecko, binance and kraken "
                    + "have some", Exit.noAnswer)
        }
        try await run.perform()
    }
}

/// The markets named on the command line, or all those of the configuration.
enum WantedMarkets {
    static func find(
        _ texts: [String], in reader: HistoryReader, _ configuration: Configuration
    ) throws -> [Configuration.Market] {
        let named = configuration.namedMarkets
        guard !texts.isEmpty else {
            guard named.isEmpty else { return named }
            throw CommandError(
                "backfill: no market is named in the configuration; say which, such as bitcoin", Exit.noSuchData)
        }
        return try texts.map { text in
            if let market = named.first(where: { $0.id.text == text }) { return market }
            do {
                return Configuration.Market(
                    id: try RecordedMarket.find(text, in: reader, preferring: configuration.currency).0)
            } catch let complaint as CommandError {
                let meant = Spelling.closest(to: text, among: named.map(\.id.text))
                guard let meant else { throw complaint }
                throw CommandError(
                    "find the market \(text): it is neither named in the configuration nor recorded (did you mean "
                        + "\(meant)?)", Exit.noSuchData)
            }
        }
    }
}
