import Markets

extension [Watch.Entry] {
    /// Bytes of names in a URL. Servers commonly take request lines of 8 KiB.
    private static var longestNames: Int { 6000 }

    /// Cut into requests of at most `count` names that stay short enough for a URL.
    func pages(of count: Int) -> [[Watch.Entry]] {
        var pages: [[Watch.Entry]] = []
        var bytes = 0
        for entry in self {
            // Every byte outside ASCII takes three.
            let length = entry.providerID.utf8.reduce(1) { $0 + ($1 < 128 ? 1 : 3) }
            if let last = pages.last, last.count < count, bytes + length <= Self.longestNames {
                pages[pages.count - 1].append(entry)
                bytes += length
            } else {
                pages.append([entry])
                bytes = length
            }
        }
        return pages
    }

    /// Our names for the provider's.
    var names: [String: MarketID] {
        Dictionary(map { ($0.providerID, $0.market) }, uniquingKeysWith: { first, _ in first })
    }
}
