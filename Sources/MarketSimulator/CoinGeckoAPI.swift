import Foundation
import Markets

/// CoinGecko's paths below `/api/v3` at one moment: `ping`, `coins/list`, `coins/markets`, `coins/{id}/market_chart`
/// (also `/range`) and `simple/supported_vs_currencies`.
struct CoinGeckoAPI {
    let book: PriceBook
    let position: Walk.Position
    let now: Date
    let fault: Fault

    /// How many ten-thousandths of a unit make one USD.
    private static let currencies = ["usd": 10_000, "eur": 8629, "gbp": 7462, "chf": 8012, "jpy": 1_476_200]

    func reply(to request: LoopbackServer.Request) -> LoopbackServer.Reply {
        do throws(CoinGeckoError) {
            let json = try json(for: request)
            let tag = String(UInt(bitPattern: json.hashValue), radix: 16)
            return .json(
                json,
                headers: [
                    "Cache-Control": "max-age=30, public, must-revalidate, s-maxage=60", "ETag": "W/\"\(tag)\"",
                    "Vary": "Accept-Encoding, Origin",
                ])
        } catch {
            return .json(error.body, status: error.status, headers: ["Cache-Control": "no-cache"])
        }
    }

    private func json(for request: LoopbackServer.Request) throws(CoinGeckoError) -> String {
        guard request.method == "GET", request.segments.starts(with: ["api", "v3"]) else { throw .incorrectPath }
        var path = Array(request.segments.dropFirst(2))
        // The id of coins/ID/market_chart.
        let id = path.count > 2 ? path.remove(at: 1) : ""
        switch path {
        case ["ping"]: return #"{"gecko_says":"(V3) To the Moon!"}"#
        case ["simple", "supported_vs_currencies"]:
            return jsonArray(Self.currencies.keys.sorted().map(jsonString))
        case ["coins", "list"]:
            return jsonArray(
                book.markets.sorted { $0.id < $1.id }.map {
                    """
                    {"id":\(jsonString($0.id.text)),"symbol":\(jsonString($0.symbol)),"name":\(jsonString($0.name))}
                    """
                })
        case ["coins", "markets"]: return try markets(request.query)
        case ["coins", "market_chart"]: return try chart(of: id, request.query)
        case ["coins", "market_chart", "range"]: return try chartRange(of: id, request.query)
        default: throw .incorrectPath
        }
    }

    private func markets(_ query: [String: String]) throws(CoinGeckoError) -> String {
        let rate = try rate(query)
        // At most 250, even when more are asked for.
        let size = min(max(query["per_page"].flatMap { Int($0) } ?? 100, 1), 250)
        let page = min(max(query["page"].flatMap { Int($0) } ?? 1, 1), 1_000_000)
        var markets = book.markets
        if let ids = query["ids"], !ids.isEmpty {
            let named = ids.split(separator: ",").compactMap { market($0.trimmingCharacters(in: .whitespaces)) }
            markets = Set(named).sorted { $0.rank < $1.rank }
        }
        let rows = markets.dropFirst((page - 1) * size).prefix(size).compactMap { market -> MarketRow? in
            guard let value = converted(book.price(of: market, step: position.step), rate),
                let dayAgo = converted(book.price(of: market, at: position.since - .hours(24)), rate)
            else { return nil }
            return fault.row(
                MarketRow(
                    market: market, value: value, dayAgo: dayAgo, price: value.jsonNumber, updated: position.since))
        }
        return jsonArray(rows.map(\.json))
    }

    private func chart(of id: String, _ query: [String: String]) throws(CoinGeckoError) -> String {
        guard let text = query["days"] else { throw .missing("days") }
        guard let days = text == "max" ? 365 : Double(text), days > 0 else { throw .invalid("days") }
        return try chart(of: id, query, from: now.addingTimeInterval(-days * 86_400), until: now)
    }

    private func chartRange(of id: String, _ query: [String: String]) throws(CoinGeckoError) -> String {
        for name in ["from", "to"] where query[name] == nil { throw .missing(name) }
        guard let from = query["from"].flatMap({ Double($0) }), let until = query["to"].flatMap({ Double($0) }),
            from < until
        else { throw .invalid("date range") }
        return try chart(
            of: id, query, from: Date(timeIntervalSince1970: from), until: Date(timeIntervalSince1970: until))
    }

    private func chart(
        of id: String, _ query: [String: String], from: Date, until: Date
    ) throws(CoinGeckoError) -> String {
        guard let market = market(id) else { throw .coinNotFound }
        let rate = try rate(query)
        guard now.timeIntervalSince(from) <= 365 * 86_400 + 60 else { throw .beyondOneYear }
        let points = times(from: from, until: until).compactMap { time in
            converted(book.price(of: market, at: time), rate).map { (time.milliseconds, $0) }
        }
        let prices = points.map { "[\($0),\($1.jsonNumber)]" }
        let caps = points.map { "[\($0),\($1.double * market.supply)]" }
        let volumes = points.map { "[\($0),\($1.double * market.supply / 20)]" }
        return """
            {"prices":\(jsonArray(prices)),"market_caps":\(jsonArray(caps)),"total_volumes":\(jsonArray(volumes))}
            """
    }

    private func market(_ id: String) -> SimulatedMarket? { (try? MarketID(id)).flatMap(book.market) }

    private func rate(_ query: [String: String]) throws(CoinGeckoError) -> Int {
        guard let code = query["vs_currency"], !code.isEmpty else { throw .missing("vs_currency") }
        guard let rate = Self.currencies[code.lowercased()] else { throw .invalid("vs_currency") }
        return rate
    }

    /// Nil outside the range of a price.
    private func converted(_ usd: Price, _ rate: Int) -> Price? {
        rate == 10_000 ? usd : Price(usd.decimal * Decimal(rate) / 10_000)
    }

    private func jsonArray(_ items: [String]) -> String { "[" + items.joined(separator: ",") + "]" }
}

extension CoinGeckoAPI {
    /// When the points of a chart lie: after `from` and up to `until`; a span that ends now has a last point at `now`.
    private func times(from: Date, until: Date) -> [Date] {
        let until = min(until, now)
        let spacing = spacing(from: from, until: until)
        let first = Int64((from.timeIntervalSince1970 / spacing).rounded(.down)) + 1
        let last = Int64((until.timeIntervalSince1970 / spacing).rounded(.down))
        var times = (first..<max(first, last + 1)).map { point in
            // Daily points are exact; others are up to 20 s late, as in recorded answers.
            let late = spacing == 86_400 ? 0 : Double(mixed(UInt64(bitPattern: point)) % 20_000) / 1000
            return Date(timeIntervalSince1970: Double(point) * spacing + late)
        }
        times.removeAll { $0 > until }
        if until == now, times.last != now { times.append(now) }
        return times
    }

    /// In seconds: five minutes for a day back from now, hours for up to 90 days, days beyond.
    private func spacing(from: Date, until: Date) -> Double {
        switch until.timeIntervalSince(from) {
        case ...86_400 where now.timeIntervalSince(from) <= 86_400 + 300: 300
        case ...(90 * 86_400): 3600
        default: 86_400
        }
    }
}
