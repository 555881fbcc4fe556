import Markets

extension Configuration {
    struct Watch: Hashable, Sendable {
        /// `markets`: the named markets, in this order.
        var markets: [Market] = []
        /// `top`: also the N largest by market cap, 0 to 10,000. Default: 20 if no market is named, else 0.
        var top = 20
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
    mutating func read(_ section: Section, feeds: [Configuration.Feed]) {
        for item in section.items("markets", ofTexts: true) ?? [] {
            guard let market = Configuration.Market(item, feeds: feeds) else { continue }
            switch markets.first(where: { $0.id == market.id }) {
            case nil: markets.append(market)
            case market: item.warn("\(market.id) is already in the list")
            default: item.fault("\(market.id) is already in the list, with other settings; keep one of them")
            }
        }
        if !markets.isEmpty { top = 0 }
        section.read("top", into: &top, .integer(0...10_000))
    }
}

extension Configuration.Market {
    /// `bitcoin`, or `{id: solana, coinpaprika: sol-solana}`.
    fileprivate init?(_ item: Item, feeds: [Configuration.Feed]) {
        guard item.value.isMapping else {
            guard let id = item.read(.marketID) else { return nil }
            self.init(id: id)
            return
        }
        let market = item.section { section -> Configuration.Market? in
            let own = ["id", "feed", "stale_after"]
            var ids: [String: String] = [:]
            for name in Set(ProviderName.allCases.map(\.rawValue) + feeds.map(\.name)).subtracting(own) {
                ids[name] = section.value(name, .providerID)
            }
            let feed = section.value("feed", .word(of: feeds.map(\.name)))
            let staleAfter = section.value("stale_after", .duration(atLeast: .seconds(1)))
            if !section.mentions("id") { section.fault("needs an id, such as {id: solana, binance: SOLUSDT}") }
            return section.item("id")?.read(.marketID).map {
                Configuration.Market(id: $0, ids: ids, feed: feed, staleAfter: staleAfter)
            }
        }
        guard let market else { return nil }
        self = market
    }
}
