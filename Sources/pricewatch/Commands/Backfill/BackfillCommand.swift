import ArgumentParser
import Feeds
import Foundation
import HTTP
import History
import Markets
import Views

struct BackfillCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backfill", abstract: "Fills gaps from the provider's own history, within the quota.",
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
        let configuration = try installation.read().configuration
        try await NetworkTransport.whileOpen { try await backfill(configuration, $0) }
    }

    private func backfill(_ configuration: Configuration, _ network: NetworkTransport) async throws {
        let store = try CommandDatabase(at: configuration.history.database)
        let wanted = try wantedMarkets(store.reader, configuration)
        let memory = FeedNotebook(store)
        let feeds = try configuration.feeds.map { try configuration.makeFeed($0, over: network, memory) }
        let sources = configuration.pastSources(of: wanted, among: feeds)
        for market in wanted where !sources.contains(where: { $0.market == market.id }) {
            StandardError.line("pricewatch: \(market.id): no feed has past prices of it")
        }
        guard !sources.isEmpty else {
            let names = configuration.feeds.map(\.name).joined(separator: ", ")
            throw CommandError(
                "backfill: no configured feed has historical prices of these markets (\(names)); coingecko, binance and kraken "
                    + "have some", Exit.noAnswer)
        }
        let backfiller = Backfiller(store: store, currencies: configuration.currencies, budget: .command)
        let now = backfiller.time.now()
        let start = (since ?? .ago(configuration.history.backfill ?? .hours(24))).date(
            now: now, in: configuration.zone)
        guard start < now else { throw CommandError("backfill: --since lies in the future", Exit.usage) }
        let plan = try backfiller.plan(sources, since: start, longerThan: configuration.tick * 2)
        guard !plan.steps.isEmpty else {
            return StandardOutput.write(lines: ["nothing to heal since \(configuration.zone.text(start))"])
        }
        var progress = BackfillProgress(plan, in: configuration.zone)
        var allowed = await backfiller.allowance(for: plan)
        await progress.begin(allowed, now: now)
        var pause = Duration.zero
        do {
            for step in plan.steps {
                progress.add(step, try await backfiller.send(step, allowed: &allowed, after: pause))
                pause = step.source.pause
            }
        } catch {
            progress.bar.finish()
            throw Self.commandError(error, in: configuration.zone)
        }
        try progress.end()
    }

    private static func commandError(_ obstacle: Backfiller.Obstacle, in zone: Zone) -> CommandError {
        let cause: String
        switch obstacle {
        case .cancelled: cause = "interrupted"
        case .waiting(let feed, let until, let message):
            cause = "\(feed) is not asked before \(zone.text(until)): \(message)"
        case .quota(let feed):
            cause = "\(feed): half of what was left of the month's quota is used up, the rest is for the polls"
        case .failed(let error): cause = zone.local(error.message)
        case .unwritten(let error): return CommandError(error)
        }
        return CommandError(
            "backfill: \(cause); what was answered is kept, and the same command goes on from there", Exit.noAnswer)
    }

    /// The markets named on the command line, or all those of the configuration.
    private func wantedMarkets(
        _ reader: HistoryReader, _ configuration: Configuration
    ) throws -> [Configuration.Market] {
        let named = configuration.namedMarkets
        guard !markets.isEmpty else {
            guard named.isEmpty else { return configuration.quotedMarkets }
            throw CommandError(
                "backfill: no market is named in the configuration; say which, such as bitcoin", Exit.noSuchData)
        }
        return try markets.map { text in
            if let market = named.first(where: { $0.id.text == text }) {
                guard let portfolio = market.portfolio else { return market }
                throw CommandError(
                    "backfill \(text): it is a portfolio, and no provider has its past values; it is computed from the "
                        + "polls of its parts (backfill these: \(portfolio.parts.map(\.market.text).joined(separator: " ")))",
                    Exit.noSuchData)
            }
            do {
                return Configuration.Market(
                    id: try RecordedMarket.find(text, in: reader, preferring: configuration.currencies).0)
            } catch let error as CommandError {
                guard let meant = Spelling.closest(to: text, among: named.map(\.id.text)) else { throw error }
                throw CommandError(
                    "find the market \(text): it is neither named in the configuration nor recorded (did you mean "
                        + "\(meant)?)", Exit.noSuchData)
            }
        }
    }
}
