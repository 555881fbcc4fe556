import Feeds
import HTTP
import Markets

/// Checks the configuration against the providers, with one poll of each feed: host and key, currency, ids.
struct OnlineCheck {
    /// For people, in the order of the requests.
    private(set) var findings: [String] = []
    private(set) var warnings: [String] = []
    /// Why nothing can be sent to an export.
    private(set) var refusals: [String] = []
    /// `coingecko: there is no bitcion (did you mean bitcoin?)`
    private(set) var unknownIDs: [String] = []
    /// The markets of these ids.
    private(set) var missing: Set<MarketID> = []

    var faults: [String] { unknownIDs + refusals }

    private static let limit = Duration.seconds(60)

    /// Throws 69 if a provider gives no usable answer.
    static func run(_ configuration: Configuration) async throws -> OnlineCheck {
        let memory = CommandMemory(configuration)
        return try await NetworkTransport.whileOpen { network in
            var check = OnlineCheck()
            for member in configuration.sources.flatMap(\.members) where !member.watch.isEmpty {
                let feed = configuration.feed(named: member.feed)
                try await check.poll(
                    try configuration.makeFeed(feed, over: network, memory), feed.provider, member.watch,
                    in: configuration.zone)
            }
            for export in configuration.exports {
                let found = await export.madeExporter(transport: network).inspect()
                check.findings += found.findings
                check.warnings += found.warnings
                check.refusals += [found.refusal].compactMap(\.self)
            }
            return check
        }
    }

    /// The daemon's own backoff does not apply: the user wants to know whether the feed works again.
    private mutating func poll(
        _ feed: Feeds.Feed, _ provider: ProviderName, _ watch: Markets.Watch, in zone: Zone
    ) async throws {
        switch try await feed.poll(watch, within: Self.limit, respecting: .namedOnly).outcome {
        case .failed(let error): throw CommandError("check \(feed.name): \(zone.local(error.message))", Exit.noAnswer)
        case .waiting(let until):
            let reason = await feed.cooldownInForce(.namedOnly).map { ": \($0.0.message)" } ?? ""
            throw CommandError("check \(feed.name): not asked before \(zone.text(until))\(reason)", Exit.noAnswer)
        case .answered(let answer):
            findings.append("\(feed.name): host and key are accepted")
            for entry in watch.entries {
                guard let quote = answer.quotes.first(where: { $0.market == entry.market }) else { continue }
                let name = quote.name.isEmpty ? "" : "\(quote.name) "
                findings.append("\(quote.market): \(name)\(quote.price) \(quote.currency)")
            }
            let coins = answer.missing.isEmpty ? [] : await Self.coins(of: feed, provider)
            missing.formUnion(answer.missing)
            for market in answer.missing {
                unknownIDs.append(
                    "\(feed.name): there is no \(market)\(Spelling.hint(for: market.text, among: coins))")
            }
            for (market, reason) in answer.unusable.sorted(by: { $0.key < $1.key }) {
                warnings.append("\(feed.name): no usable price of \(market) (\(reason.rawValue))")
            }
            if let error = answer.pageError { warnings.append("\(feed.name): \(error.message)") }
        }
    }

    /// The ids of CoinGecko, to suggest one: the usual mistake is a symbol. The other providers have no list.
    private static func coins(
        of feed: Feeds.Feed, _ provider: ProviderName
    ) async -> [(id: String, symbol: String, name: String)] {
        guard provider == .coinGecko else { return [] }
        let coins = try? await feed.client.send(CoinGecko.CoinList(), within: limit, respecting: .namedOnly)
        return (coins ?? []).map { ($0.id, $0.symbol, $0.name) }
    }
}
