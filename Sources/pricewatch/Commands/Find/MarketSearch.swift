import Feeds

/// Finds the markets that a text may mean, best match first. Symbols are not unique: all markets with one are listed.
struct MarketSearch {
    struct Match: Hashable {
        var id: String
        var symbol: String
        var name: String
        /// By market cap, from 1; nil if the market has none or it is unknown.
        var rank: Int?
        var likeness: Likeness
    }

    /// How a market matches the text, best first.
    enum Likeness: Int, Comparable {
        case id, symbol, name
        /// Id, symbol or name has the text as a prefix.
        case beginning
        /// Id or name contains the text.
        case part

        static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// The number of other matches beside the exact ones.
    static let mostOthers = 25

    private(set) var matches: [Match]

    /// The exact matches and the candidates for ranking.
    init(_ text: String, among coins: [CoinGecko.CoinList.Coin]) {
        let wanted = text.lowercased()
        matches = coins.compactMap { coin in
            Self.likeness(of: coin, to: wanted).map {
                Match(id: coin.id, symbol: coin.symbol, name: coin.name, rank: nil, likeness: $0)
            }
        }
        sort()
    }

    /// The ids to request ranks for, at most 250.
    var candidates: [String] {
        var bytes = 0
        return matches.lazy.map(\.id).prefix(250).filter { !$0.contains(",") }
            .prefix { id in
                bytes += id.utf8.count * 3 + 1
                return bytes <= 6000
            }
    }

    /// Sorts the largest first within each kind of match, and cuts off the rest.
    mutating func rank(_ ranks: [String: Int]) {
        for place in matches.indices { matches[place].rank = ranks[matches[place].id] }
        sort()
        let exact = matches.prefix { $0.likeness <= .name }.count
        matches = Array(matches.prefix(max(exact, min(matches.count, exact + Self.mostOthers))))
    }

    private mutating func sort() {
        matches.sort { left, right in
            if left.likeness != right.likeness { return left.likeness < right.likeness }
            let (a, b) = (left.rank ?? .max, right.rank ?? .max)
            if a != b { return a < b }
            return (left.id.count, left.id) < (right.id.count, right.id)
        }
    }

    private static func likeness(of coin: CoinGecko.CoinList.Coin, to wanted: String) -> Likeness? {
        let (id, symbol, name) = (coin.id.lowercased(), coin.symbol.lowercased(), coin.name.lowercased())
        if id == wanted { return .id }
        if symbol == wanted { return .symbol }
        if name == wanted { return .name }
        if id.hasPrefix(wanted) || symbol.hasPrefix(wanted) || name.hasPrefix(wanted) { return .beginning }
        return id.contains(wanted) || name.contains(wanted) ? .part : nil
    }
}
