import Foundation
import Markets
import NIOHTTP1

/// CoinGecko's paths below `/api/v3` at one moment: `ping`, `coins/list`, `coins/markets` and
/// `coins/{id}/market_chart/range`.
struct CoinGeckoAPI {
    let book: PriceBook
    let position: Walk.Position
    let now: Date
    let fault: Fault

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
        case ["coins", "list"]:
            return jsonArray(
                book.markets.sorted { $0.id < $1.id }.map {
                    """
                    {"id":\(JSONString.quoted($0.id.text)),"symbol":\(JSONString.quoted($0.symbol)),"name":\(JSONString.quoted($0.name))}
                    """
                })
        case ["coins", "markets"]: return try markets(request.query)
        case ["coins", "market_chart", "range"]: return try chart(of: id, request.query)
        default: throw .incorrectPath
        }
    }

    private func markets(_ query: [String: String]) throws(CoinGeckoError) -> String {
        try checkCurrency(query)
        // At most 250, even when more are asked for.
        let size = min(max(query["per_page"].flatMap { Int($0) } ?? 100, 1), 250)
        let page = min(max(query["page"].flatMap { Int($0) } ?? 1, 1), 1_000_000)
        var markets = book.markets
        if let ids = query["ids"], !ids.isEmpty {
            let named = ids.split(separator: ",").compactMap { market($0.trimmingCharacters(in: .whitespaces)) }
            markets = Set(named).sorted { $0.rank < $1.rank }
        }
        let rows = markets.dropFirst((page - 1) * size).prefix(size).compactMap { market in
            let value = book.price(of: market, step: position.step)
            let dayAgo = book.price(of: market, at: position.since - .hours(24))
            return fault.row(
                MarketRow(
                    market: market, value: value, dayAgo: dayAgo, price: value.jsonNumber, updated: position.since))
        }
        return jsonArray(rows.map(\.json))
    }

    private func chart(of id: String, _ query: [String: String]) throws(CoinGeckoError) -> String {
        for name in ["from", "to"] where query[name] == nil { throw .missing(name) }
        guard let from = query["from"].flatMap({ Double($0) }), let until = query["to"].flatMap({ Double($0) }),
            from < until
        else { throw .invalid("date range") }
        guard let market = market(id) else { throw .coinNotFound }
        try checkCurrency(query)
        let start = Date(timeIntervalSince1970: from)
        guard now.timeIntervalSince(start) <= 365 * 86_400 + 60 else { throw .beyondOneYear }
        let points = times(from: start, until: Date(timeIntervalSince1970: until)).map { time in
            (time.milliseconds, book.price(of: market, at: time))
        }
        let prices = points.map { "[\($0),\($1.jsonNumber)]" }
        let caps = points.map { "[\($0),\($1.double * market.supply)]" }
        let volumes = points.map { "[\($0),\($1.double * market.supply / 20)]" }
        return """
            {"prices":\(jsonArray(prices)),"market_caps":\(jsonArray(caps)),"total_volumes":\(jsonArray(volumes))}
            """
    }

    private func market(_ id: String) -> SimulatedMarket? { (try? MarketID(id)).flatMap(book.market) }

    /// The simulated markets have the same figures in each currency.
    private func checkCurrency(_ query: [String: String]) throws(CoinGeckoError) {
        guard let code = query["vs_currency"], !code.isEmpty else { throw .missing("vs_currency") }
        guard ["usd", "eur", "gbp"].contains(code.lowercased()) else { throw .invalid("vs_currency") }
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
        var times = (first..<max(first, last + 1)).map { Date(timeIntervalSince1970: Double($0) * spacing) }
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

/// A row of `/coins/markets`.
struct MarketRow {
    let market: SimulatedMarket
    /// In the currency asked for, now and 24 h before.
    let value: Price
    let dayAgo: Price
    /// The JSON of `current_price`; `null` leaves out the figures of 24 h as well.
    var price: String
    /// `last_updated`.
    var updated: Date

    var json: String {
        let (now, before) = (value.double, dayAgo.double)
        let cap = now * market.supply
        let percent = ((now - before) / before * 1e7).rounded() / 1e5
        func unlessNull(_ number: Double) -> String { price == "null" ? price : "\(number)" }
        return """
            {"id":\(JSONString.quoted(market.id.text)),"symbol":\(JSONString.quoted(market.symbol)),\
            "name":\(JSONString.quoted(market.name)),\
            "image":"https://coin-images.coingecko.com/coins/images/\(market.rank)/large/coin.png",\
            "current_price":\(price),"market_cap":\(cap),"market_cap_rank":\(market.rank),\
            "fully_diluted_valuation":\(cap),"total_volume":\(cap / 20),\
            "high_24h":\(unlessNull(max(now, before))),"low_24h":\(unlessNull(min(now, before))),\
            "price_change_24h":\(unlessNull(now - before)),"price_change_percentage_24h":\(unlessNull(percent)),\
            "market_cap_change_24h":\(unlessNull((now - before) * market.supply)),\
            "market_cap_change_percentage_24h":\(unlessNull(percent)),\
            "circulating_supply":\(market.supply),"total_supply":\(market.supply),"max_supply":null,\
            "ath":\(now * 2),"ath_change_percentage":-50.0,"ath_date":"2025-01-20T07:16:25.271Z",\
            "atl":\(now / 10),"atl_change_percentage":900.0,"atl_date":"2020-03-13T02:22:55.391Z",\
            "roi":null,"last_updated":"\(updated.utcTextWithMilliseconds)"}
            """
    }
}

extension Price {
    /// As CoinGecko writes prices: exact, and small ones as `8.36e-06`.
    var jsonNumber: String {
        let digits = String(significand)
        let power = digits.count - 1 + exponent
        guard power < -4 else { return description }
        let fraction = digits.count > 1 ? String(digits.dropFirst()) : "0"
        return "\(digits.prefix(1)).\(fraction)e-\(power > -10 ? "0" : "")\(-power)"
    }
}

/// CoinGecko's error replies: a status and a body, as recorded.
struct CoinGeckoError: Error {
    let status: Int
    let body: String

    static let coinNotFound = plain(404, "coin not found")
    static let incorrectPath = plain(404, "Incorrect path. Please check https://www.coingecko.com/api/")

    /// Public plans reach one year back.
    static let beyondOneYear = CoinGeckoError(
        status: 401,
        body: #"{"error":"# + coded(401, 10_012, "Your request exceeds the allowed time range.").body + "}")

    static func missing(_ parameter: String) -> CoinGeckoError { plain(422, "Missing parameter \(parameter)") }
    static func invalid(_ parameter: String) -> CoinGeckoError { plain(400, "invalid \(parameter)") }

    /// CoinGecko's error for an HTTP status.
    static func of(status: Int) -> CoinGeckoError {
        switch status {
        case 401: coded(status, 10_002, "API Key Missing")
        case 404: coinNotFound
        case 429: coded(status, 429, "You've exceeded the Rate Limit.")
        case 500: CoinGeckoError(status: status, body: #"{"status":500,"error":"Internal Server Error"}"#)
        default: coded(status, status, HTTPResponseStatus(statusCode: status).reasonPhrase)
        }
    }

    private static func plain(_ status: Int, _ message: String) -> CoinGeckoError {
        CoinGeckoError(status: status, body: #"{"error":"\#(message)"}"#)
    }

    private static func coded(_ status: Int, _ code: Int, _ message: String) -> CoinGeckoError {
        CoinGeckoError(status: status, body: #"{"status":{"error_code":\#(code),"error_message":"\#(message)"}}"#)
    }
}
