import Feeds
import HTTP
import Markets

/// Checks the configuration against the providers, with one poll of each feed: host and key, currency, ids.
struct OnlineCheck {
    /// For people, in the order of the requests.
    private(set) var findings: [String] = []
    private(set) var warnings: [String] = []

    private static let limit = Duration.seconds(60)

    private init() {}

    /// Throws 69 if a provider gives no usable answer.
    static func run(_ configuration: Configuration) async throws -> OnlineCheck {
        let memory = CommandMemory(configuration)
        return try await NetworkTransport.whileOpen { network in
            var check = OnlineCheck()
            for member in asked(configuration) where !member.watch.isEmpty {
                let feed = try configuration.madeFeed(member.feed, over: network, memory: memory)
                try await check.poll(feed, member)
            }
            return check
        }
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

    /// The daemon's own backoff does not apply: the user wants to know whether the feed works again.
    private mutating func poll(_ feed: Feeds.Feed, _ member: SourcePlan.Member) async throws {
        switch try await feed.poll(member.watch, within: Self.limit, respecting: .namedOnly).outcome {
        case .failed(let error): throw CommandError("check \(feed.name): \(error.message)", Exit.noAnswer)
        case .waiting(let until):
            let reason = await feed.cooldownInForce(.namedOnly).map { ": \($0.0.message)" } ?? ""
            throw CommandError("check \(feed.name): not asked before \(until.utcText)\(reason)", Exit.noAnswer)
        case .answered(let answer):
            findings.append("\(feed.name): host and key are accepted")
            for entry in member.watch.entries {
                guard let quote = answer.quotes.first(where: { $0.market == entry.market }) else { continue }
                let name = quote.name.isEmpty ? "" : "\(quote.name) "
                findings.append("\(quote.market): \(name)\(quote.price) \(quote.currency)")
            }
            let coins = answer.missing.isEmpty ? [] : await Self.coins(of: feed, member.feed)
            for market in answer.missing {
                warnings.append("\(feed.name): there is no \(market)\(Self.hint(market.text, coins))")
            }
            for (market, reason) in answer.unusable.sorted(by: { $0.key < $1.key }) {
                warnings.append("\(feed.name): no usable price of \(market) (\(reason.rawValue))")
            }
            if let error = answer.pageError { warnings.append("\(feed.name): \(error.message)") }
        }
    }

    /// All ids of CoinGecko; the other providers have no list.
    private static func coins(of feed: Feeds.Feed, _ settings: Configuration.Feed) async -> [CoinGecko.CoinList.Coin] {
        guard settings.provider == .coinGecko else { return [] }
        return (try? await feed.client.send(CoinGecko.CoinList(), within: limit, respecting: .namedOnly)) ?? []
    }

    /// The usual mistake is a symbol in place of an id. Symbols are not unique, so all markets with it are listed.
    private static func hint(_ text: String, _ coins: [CoinGecko.CoinList.Coin]) -> String {
        let wanted = text.lowercased()
        let bearers = coins.filter { $0.symbol.lowercased() == wanted || $0.name.lowercased() == wanted }.map(\.id)
        if bearers.isEmpty { return Spelling.hint(for: text, among: coins.map(\.id)) }
        return " (did you mean \(bearers.prefix(5).joined(separator: ", "))?)"
    }
}
