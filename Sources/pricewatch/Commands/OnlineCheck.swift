import Engine
import Feeds
import Foundation
import Markets

/// Asks the provider itself whether the configuration makes sense there: host and key, currency, ids.
struct OnlineCheck {
    /// What was found out, for people, in the order in which it was asked.
    private(set) var findings: [String] = []
    private(set) var warnings: [String] = []

    private static let limit = Duration.seconds(60)

    /// Throws a complaint (69) where the provider gives no usable answer.
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

    /// Each feed once, with all that it is ever asked for by name.
    private static func asked(_ configuration: Configuration) -> [LanePlan.Member] {
        var asked: [LanePlan.Member] = []
        for member in configuration.lanePlans.flatMap(\.members) {
            if let place = asked.firstIndex(where: { $0.feed.name == member.feed.name }) {
                let watch = asked[place].watch
                asked[place].watch = Feeds.Watch(
                    watch.entries + member.watch.entries, top: watch.top, currency: watch.currency)
            } else {
                asked.append(member)
            }
        }
        return asked
    }

    private mutating func ask(
        _ member: LanePlan.Member, _ configuration: Configuration, _ network: NetworkTransport,
        _ memory: CountedRequests
    ) async throws {
        let feed = Feed(
            try member.feed.madeProvider(),
            try FeedEnvironment(member.feed, timeout: configuration.poll.timeout), transport: network,
            memory: memory, retry: RetryPolicy(configuration.poll.retry))
        do throws(FeedError) {
            if member.feed.provider == .coinGecko {
                try await ask(feed, member.feed, member.watch)
            } else {
                try await poll(feed, member.watch)
            }
        } catch {
            throw Complaint("check \(feed.name): \(error.message)", Exit.noAnswer)
        }
    }

    private mutating func ask(
        _ asked: Feeds.Feed, _ feed: Configuration.Feed, _ watch: Feeds.Watch
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

    /// A provider without lists of its own is asked what the daemon would ask.
    private mutating func poll(_ feed: Feeds.Feed, _ watch: Feeds.Watch) async throws(FeedError) {
        guard !watch.isEmpty, let report = try? await feed.poll(watch, within: Self.limit) else { return }
        switch report.outcome {
        case .failed(let error): throw error
        case .waiting(let wait, let until):
            warnings.append("\(feed.name): not asked before \(until.utcText): \(wait.message)")
        case .answered(let answer):
            findings.append("\(feed.name): host and key are accepted")
            for quote in answer.quotes {
                let name = quote.name.isEmpty ? "" : "\(quote.name) "
                findings.append("\(quote.market): \(name)\(quote.price) \(quote.currency)")
            }
            for market in answer.missing { warnings.append("\(feed.name): no answer for \(market)") }
            for (market, fault) in answer.unusable.sorted(by: { $0.key < $1.key }) {
                let detail = fault == .badTime ? ": its time cannot be read" : ""
                let reason = UnknownReason(fault).rawValue
                warnings.append("\(feed.name): no usable price of \(market) (\(reason)\(detail))")
            }
            if let error = answer.pageError { warnings.append("\(feed.name): \(error.message)") }
        }
    }

    /// A symbol written for an id is the usual slip, and symbols are not unique: all that bear it are named.
    private static func hint(_ text: String, _ coins: [CoinGecko.CoinList.Coin]) -> String {
        let wanted = text.lowercased()
        let bearers = coins.filter { $0.symbol.lowercased() == wanted || $0.name.lowercased() == wanted }.map(\.id)
        let meant = bearers.isEmpty ? Spelling.closest(to: text, among: coins.map(\.id)).map { [$0] } ?? [] : bearers
        return meant.isEmpty ? "" : " (did you mean \(meant.prefix(5).joined(separator: ", "))?)"
    }
}
