import Markets

extension Configuration {
    struct Watch: Hashable, Sendable {
        /// `markets`: the named markets, in this order.
        var markets: [Market] = []
        /// `top`: also the N largest by market cap, 0 to 10,000. Default: 20 if no market is named, else 0.
        var top = Watch.topWithoutMarkets

        static let topWithoutMarkets = 20
    }

    /// A market named in the configuration, alone or with its names at other providers.
    struct Market: Hashable, Sendable {
        /// `id`: the first provider's id, used everywhere in pricewatch.
        var id: MarketID
        /// Ids by provider or feed name (`coinpaprika: sol-solana`), asserted to be the same market.
        var ids: [String: String] = [:]
        /// `feed`: the only feed to poll; nil: the feeds in order of preference.
        var feed: String?
        /// `stale_after`: the age from which its quote is stale; nil: the feed's, then the poll's.
        var staleAfter: Duration?
    }
}

extension Configuration.Watch {
    init(_ section: Section, feeds: [Configuration.Feed]) {
        self.init()
        let own = Set(["id", "feed", "stale_after"])
        let names = Set(ProviderName.allCases.map(\.rawValue)).union(feeds.map(\.name)).subtracting(own)
        var seen: [MarketID: Configuration.Market] = [:]
        for item in section.items("markets") {
            guard let market = Configuration.Market(item, names: names.sorted(), feeds: feeds) else { continue }
            if let first = seen[market.id] {
                if first == market {
                    item.warn("\(market.id) is already in the list")
                } else {
                    item.fault("\(market.id) is already in the list, with other settings; keep one of them")
                }
                continue
            }
            seen[market.id] = market
            markets.append(market)
        }
        top = section.value("top", .integer(0...10_000)) ?? (markets.isEmpty ? Self.topWithoutMarkets : 0)
        section.finish()
    }
}

extension Configuration.Market {
    /// `bitcoin`, or `{id: solana, coinpaprika: sol-solana}`.
    fileprivate init?(_ item: Item, names: [String], feeds: [Configuration.Feed]) {
        guard item.isMapping else {
            guard let id = item.value(.marketID) else { return nil }
            self.init(id: id)
            return
        }
        guard let section = item.section() else { return nil }
        let id = section.asWritten("id", .marketID)
        var ids: [String: String] = [:]
        for name in names {
            if let text = section.value(name, .providerID) { ids[name] = text }
        }
        let feed = section.value("feed", .word(of: feeds.map(\.name), kind: "feed"))
        let staleAfter = section.value("stale_after", .duration(atLeast: .seconds(1)))
        section.finish()
        guard let id else {
            if !section.mentions("id") { item.fault("needs an id, such as {id: solana, binance: SOLUSDT}") }
            return nil
        }
        self.init(id: id, ids: ids, feed: feed, staleAfter: staleAfter)
    }
}
