import Engine
import Foundation
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
        /// `holds` and `cost`: it is computed from other markets; nil: a feed is asked for its price.
        var portfolio: Portfolio?
    }
}

extension Configuration.Watch {
    /// - Parameter currency: The configuration's.
    mutating func read(_ section: Section, feeds: [Configuration.Feed], in currency: Currency) {
        var holdings: [(portfolio: MarketID, parts: [Holding])] = []
        var places: [MarketID: Int] = [:]
        for item in section.items("markets", hint: Hint.list) ?? [] {
            var parts: [Holding] = []
            guard let market = Configuration.Market(item, feeds: feeds, &parts) else { continue }
            holdings.append((market.id, parts))
            switch places[market.id].map({ markets[$0] }) {
            case nil:
                places[market.id] = markets.count
                markets.append(market)
            case market: item.warn("\(market.id) is already in the list")
            default: item.fault("\(market.id) is already in the list, with other settings; keep one of them")
            }
        }
        if !markets.isEmpty { top = 0 }
        section.read("top", into: &top, .integer(0...10_000))
        for (portfolio, parts) in holdings {
            judge(parts, of: portfolio) { market in
                let own = markets.first { $0.id == market }?.feed
                return (feeds.first { $0.name == own } ?? feeds.first)?.currency ?? currency
            }
        }
    }

    /// Reports parts that are portfolios themselves, or in another currency than the first.
    private func judge(_ parts: [Holding], of portfolio: MarketID, currency: (MarketID) -> Currency) {
        guard let first = parts.first else { return }
        for part in parts {
            let (one, other) = (currency(first.market), currency(part.market))
            if part.market == portfolio {
                part.item.fault("a portfolio cannot hold itself")
            } else if markets.contains(where: { $0.id == part.market && $0.portfolio != nil }) {
                part.item.fault("\(part.market) is a portfolio, too: list here what it holds")
            } else if one != other {
                part.item.fault(
                    "\(part.market) is in \(other), and \(first.market) in \(one): a portfolio has one currency, so make "
                        + "one for each")
            }
        }
    }
}

/// A part of a portfolio and its place in the file.
private typealias Holding = (market: MarketID, item: Item)

extension Configuration.Market {
    /// `bitcoin`, `{id: solana, coinpaprika: sol-solana}`, or `{id: savings, holds: {bitcoin: 0.5}}`.
    fileprivate init?(_ item: Item, feeds: [Configuration.Feed], _ parts: inout [Holding]) {
        guard item.value.isMapping else {
            guard let id = item.read(.marketID) else { return nil }
            self.init(id: id)
            return
        }
        let market = item.section { section -> Configuration.Market? in
            let own = ["id", "feed", "stale_after", "holds", "cost"]
            var ids: [String: String] = [:]
            for name in Set(ProviderName.allCases.map(\.rawValue) + feeds.map(\.name)).subtracting(own) {
                ids[name] = section.value(name, .providerID)
            }
            let feed = section.value("feed", .word(of: feeds.map(\.name)))
            let staleAfter = section.value("stale_after", .duration(atLeast: .seconds(1)))
            let portfolio = Self.portfolio(section, &parts)
            for key in (ids.keys + ["feed", "stale_after"]).sorted() where portfolio != nil && section.holds(key) {
                section.fault(at: key, "belongs to a market that a feed is asked for; leave it out beside holds")
            }
            if !section.mentions("id") { section.fault("needs an id, such as {id: solana, binance: SOLUSDT}") }
            return section.item("id")?.read(.marketID).map {
                Configuration.Market(id: $0, ids: ids, feed: feed, staleAfter: staleAfter, portfolio: portfolio)
            }
        }
        guard let market else { return nil }
        self = market
    }

    /// Nil without `holds`. Faulty parts are left out.
    private static func portfolio(_ section: Section, _ parts: inout [Holding]) -> Portfolio? {
        let cost = section.value("cost", .cost)
        guard let item = section.item("holds") else {
            if section.holds("cost") {
                section.fault(
                    at: "cost", "belongs to a portfolio, such as {id: savings, holds: {bitcoin: 0.5}, cost: 25000}")
            }
            return nil
        }
        var held: [Portfolio.Part] = []
        if item.value.isEmpty {
            item.fault("is empty; say what is held, such as holds: {bitcoin: 0.5}")
            return Portfolio([])
        }
        item.section { holds in
            for (name, item) in rejoined(holds.entries()) {
                do throws(InvalidName) {
                    let market = try MarketID(name)
                    parts.append((market, item))
                    if let amount = item.read(.amount) { held.append(.init(market, amount: amount)) }
                } catch {
                    item.fault("a market id \(error.reason)")
                }
            }
        }
        return Portfolio(held, cost: cost)
    }

    /// `{bitcoin: 0,5}` is `bitcoin: 0` and a key `5` without a value: such numbers are put together again.
    private static func rejoined(_ entries: [(name: String, item: Item)]) -> [(name: String, item: Item)] {
        var whole: [(name: String, item: Item)] = []
        for (name, item) in entries {
            guard item.value.isNull, name.allSatisfy(\.isNumber), let (market, before) = whole.last,
                let start = before.value.text, !before.value.isNull
            else {
                whole.append((name, item))
                continue
            }
            let value = before.value.replaced(by: "\(start),\(name)", from: nil)
            let joined = Item(value: value, path: before.path, position: before.position, context: item.context)
            whole[whole.count - 1] = (market, joined)
        }
        return whole
    }
}
