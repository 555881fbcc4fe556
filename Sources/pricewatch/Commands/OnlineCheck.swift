import Engine
import Feeds
import Foundation
import HTTP
import History
import Markets

/// Checks the configuration against the providers: host and key, currency, ids.
struct OnlineCheck {
    /// The findings, for people, in the order of the requests.
    private(set) var findings: [String] = []
    private(set) var warnings: [String] = []

    private static let limit = Duration.seconds(60)

    /// Throws 69 if a provider gives no usable answer.
    init(_ reading: ConfigurationReading) async throws {
        let configuration = reading.configuration
        let network = try NetworkTransport()
        let memory = CountedRequests(in: configuration.history.database)
        do {
            for member in Self.asked(configuration) { try await ask(member, configuration, network, memory) }
        } catch {
            await network.shutdown()
            throw error
        }
        await network.shutdown()
    }

    /// Each feed once, with all markets that it is ever polled for by name.
    private static func asked(_ configuration: Configuration) -> [SourcePlan.Member] {
        var asked: [SourcePlan.Member] = []
        for member in configuration.sourcePlans.flatMap(\.members) {
            if let place = asked.firstIndex(where: { $0.feed.name == member.feed.name }) {
                let watch = asked[place].watch
                asked[place].watch = Markets.Watch(
                    watch.entries + member.watch.entries, top: watch.top, currency: watch.currency)
            } else {
                asked.append(member)
            }
        }
        return asked
    }

    private mutating func ask(
        _ member: SourcePlan.Member, _ configuration: Configuration, _ network: NetworkTransport,
        _ memory: CountedRequests
    ) async throws {
        let feed = Feed(
            FeedClient(
                try member.feed.madeProvider(),
                try FeedEnvironment(member.feed, timeout: configuration.poll.timeout), transport: network,
                memory: memory, retry: RetryPolicy(configuration.poll.retry)))
        guard member.feed.provider == .coinGecko else { return try await poll(feed, member.watch) }
        do {
            try await ask(feed, member.feed, member.watch)
        } catch {
            throw Self.failure(of: feed, error.message)
        }
    }

    private static func failure(of feed: Feeds.Feed, _ message: String) -> CommandError {
        CommandError("check \(feed.name): \(message)", Exit.noAnswer)
    }

    private mutating func ask(
        _ asked: Feeds.Feed, _ feed: Configuration.Feed, _ watch: Markets.Watch
    ) async throws(FeedError) {
        let client = asked.client
        _ = try await client.send(CoinGecko.Ping(), within: Self.limit)
        findings.append("\(feed.name): host and key are accepted")
        if feed.plan == .pro {
            let usage = try await client.send(CoinGecko.KeyUsage(), within: Self.limit)
            findings.append(
                "\(feed.name): \(usage.remainingThisMonth) of \(usage.requestsPerMonth) requests are left this month")
        }
        let currencies = try await client.send(CoinGecko.SupportedCurrencies(), within: Self.limit)
        if currencies.contains(watch.currency.code) {
            findings.append("\(feed.name): prices in \(watch.currency) are there")
        } else {
            let hint = Spelling.closest(to: watch.currency.code, among: currencies).map {
                " (did you mean \($0)?)"
            }
            warnings.append("\(feed.name): no prices in \(watch.currency)\(hint ?? "")")
        }
        guard !watch.entries.isEmpty else { return }
        let coins = try await client.send(CoinGecko.CoinList(), within: Self.limit)
        let known = Dictionary(coins.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        for entry in watch.entries {
            if let coin = known[entry.providerID] {
                findings.append("\(entry.market): \(coin.name) (\(coin.symbol))")
            } else {
                warnings.append("\(feed.name): there is no \(entry.providerID)\(Self.hint(entry.providerID, coins))")
            }
        }
    }

    /// A provider without id lists is sent the daemon's own requests.
    private mutating func poll(_ feed: Feeds.Feed, _ watch: Markets.Watch) async throws(CommandError) {
        guard !watch.isEmpty, let result = try? await feed.poll(watch, within: Self.limit) else { return }
        switch result.outcome {
        case .failed(let error): throw Self.failure(of: feed, error.message)
        case .waiting(let until):
            let reason = await feed.cooldownInForce().map { ": \($0.0.message)" }
            warnings.append("\(feed.name): not asked before \(until.utcText)\(reason ?? "")")
        case .answered(let answer):
            findings.append("\(feed.name): host and key are accepted")
            for quote in answer.quotes {
                let name = quote.name.isEmpty ? "" : "\(quote.name) "
                findings.append("\(quote.market): \(name)\(quote.price) \(quote.currency)")
            }
            for market in answer.missing { warnings.append("\(feed.name): no answer for \(market)") }
            for (market, reason) in answer.unusable.sorted(by: { $0.key < $1.key }) {
                warnings.append("\(feed.name): no usable price of \(market) (\(reason.rawValue))")
            }
            if let error = answer.pageError { warnings.append("\(feed.name): \(error.message)") }
        }
    }

    /// The usual mistake is a symbol in place of an id. Symbols are not unique, so all markets with it are listed.
    private static func hint(_ text: String, _ coins: [CoinGecko.CoinList.Coin]) -> String {
        let wanted = text.lowercased()
        let bearers = coins.filter { $0.symbol.lowercased() == wanted || $0.name.lowercased() == wanted }.map(\.id)
        let meant = bearers.isEmpty ? Spelling.closest(to: text, among: coins.map(\.id)).map { [$0] } ?? [] : bearers
        return meant.isEmpty ? "" : " (did you mean \(meant.prefix(5).joined(separator: ", "))?)"
    }
}

/// The feed memory of a command. Its requests count towards the monthly quota in the database, and a cooldown that the
/// provider named to the daemon applies to it too. Without a writable database, both last only as long as the command.
struct CountedRequests: FeedMemory {
    private let daemon: FeedNotebook?
    private let own = TransientMemory()

    init(in database: String) { daemon = (try? BackfillDatabase(at: database)).map(FeedNotebook.init) }

    /// The daemon's own backoff does not apply: the user wants to know whether the feed works again.
    func wait(of feed: String) async -> StoredCooldown? {
        if let finding = await own.wait(of: feed) { return finding }
        guard var wait = await daemon?.wait(of: feed), let named = wait.namedUntil else { return nil }
        wait.until = named
        return wait
    }

    func keep(_ wait: StoredCooldown?, of feed: String) async { await own.keep(wait, of: feed) }

    func countRequest(of feed: String, in month: UTCMonth) async -> Int {
        guard let daemon else { return await own.countRequest(of: feed, in: month) }
        return await daemon.countRequest(of: feed, in: month)
    }

    func requests(of feed: String, in month: UTCMonth) async -> Int {
        guard let daemon else { return await own.requests(of: feed, in: month) }
        return await daemon.requests(of: feed, in: month)
    }

    func storedBody(_ url: String, of feed: String) async -> StoredBody? { await own.storedBody(url, of: feed) }
    func keep(_ body: StoredBody, _ url: String, of feed: String) async { await own.keep(body, url, of: feed) }
}
