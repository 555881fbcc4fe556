internal import Foundation
internal import Markets

/// CoinGecko's paths below `/api/v3`: from a request to a proper answer.
struct Endpoint {
    let book: PriceBook
    /// The clock's.
    let now: Date
    /// Moves the walk if it is time to; given whether this is the request for a first page.
    let currentStep: (_ isFirstPage: Bool) -> WalkState.Position

    struct Refusal: Error {
        let status: Int
        let body: String
    }

    func answer(_ request: LoopbackServer.Request, oddities: RowOddities) -> LoopbackServer.Answer {
        do throws(Refusal) {
            guard request.method == "GET" || request.method == "HEAD", request.segments.starts(with: ["api", "v3"])
            else { throw Refusal(status: 404, body: ErrorBody.incorrectPath) }
            let path = Array(request.segments.dropFirst(2))
            switch path {
            case ["ping"]:
                return content(#"{"gecko_says":"(V3) To the Moon!"}"#)
            case ["simple", "supported_vs_currencies"]:
                return content("[" + VsCurrency.codes.map(jsonText).joined(separator: ",") + "]")
            case ["coins", "list"]:
                return content(coinsList)
            case ["coins", "markets"]:
                return try markets(request.query, oddities)
            case _ where path.count == 3 && path[0] == "coins" && path[2] == "market_chart":
                return try chart(of: path[1], request.query)
            case _ where path.count == 4 && path[0] == "coins" && path[2...] == ["market_chart", "range"]:
                return try chartRange(of: path[1], request.query)
            default:
                throw Refusal(status: 404, body: ErrorBody.incorrectPath)
            }
        } catch {
            return LoopbackServer.Answer(
                status: error.status, headers: ["Cache-Control": "no-cache"].merging(type) { first, _ in first },
                body: .text(error.body))
        }
    }

    private var coinsList: String {
        let rows = book.markets.sorted { $0.id < $1.id }.map {
            #"{"id":\#(jsonText($0.id.text)),"symbol":\#(jsonText($0.symbol)),"name":\#(jsonText($0.name))}"#
        }
        return "[" + rows.joined(separator: ",") + "]"
    }

    private func markets(_ query: [String: String], _ oddities: RowOddities) throws(Refusal) -> LoopbackServer.Answer {
        let currency = try currency(query)
        let precision = try precision(query, default: .rounded)
        // The provider answers 250 to a wish for more.
        let size = min(max(query["per_page"].flatMap { Int($0) } ?? 100, 1), 250)
        let page = min(max(query["page"].flatMap { Int($0) } ?? 1, 1), 1_000_000)
        let chosen = markets(named: query["ids"])
        let position = currentStep(page == 1)
        let rows = MarketRows(
            book: book, step: position.step, asOf: position.since, currency: currency, precision: precision,
            windows: query["price_change_percentage"].map { $0.split(separator: ",").map(String.init) } ?? [],
            oddities: oddities)
        var answer = content(rows.json(chosen.dropFirst((page - 1) * size).prefix(size)))
        answer.headers["Access-Control-Expose-Headers"] = "link, per-page, total"
        answer.headers["Per-Page"] = String(size)
        answer.headers["Total"] = String(chosen.count)
        return answer
    }

    /// By market cap. Ids that nobody knows are left out, blanks around an id do no harm here.
    private func markets(named ids: String?) -> [SimulatedMarket] {
        guard let ids, !ids.isEmpty else { return book.markets }
        let ranks = Set(ids.split(separator: ",").compactMap { rank(of: $0.trimmingCharacters(in: .whitespaces)) })
        return ranks.sorted().map { book.markets[$0 - 1] }
    }

    private func chart(of id: String, _ query: [String: String]) throws(Refusal) -> LoopbackServer.Answer {
        guard let text = query["days"] else {
            throw Refusal(status: 422, body: ErrorBody.plain("Missing parameter days"))
        }
        guard let days = text == "max" ? 365 : Double(text), days > 0 else {
            throw Refusal(status: 400, body: ErrorBody.plain("invalid days"))
        }
        return try chart(of: id, query, from: now.addingTimeInterval(-days * 86_400), until: now)
    }

    private func chartRange(of id: String, _ query: [String: String]) throws(Refusal) -> LoopbackServer.Answer {
        for name in ["from", "to"] where query[name] == nil {
            throw Refusal(status: 422, body: ErrorBody.plain("Missing parameter \(name)"))
        }
        guard let from = query["from"].flatMap({ Double($0) }), let until = query["to"].flatMap({ Double($0) }),
            from < until
        else { throw Refusal(status: 400, body: ErrorBody.plain("invalid date range")) }
        return try chart(
            of: id, query, from: Date(timeIntervalSince1970: from), until: Date(timeIntervalSince1970: until))
    }

    private func chart(
        of id: String, _ query: [String: String], from: Date, until: Date
    ) throws(Refusal) -> LoopbackServer.Answer {
        guard let rank = rank(of: id) else { throw Refusal(status: 404, body: ErrorBody.coinNotFound) }
        let chart = MarketChart(
            book: book, market: book.markets[rank - 1], currency: try currency(query),
            precision: try precision(query, default: .full))
        guard now.timeIntervalSince(from) <= 365 * 86_400 + 60 else {
            throw Refusal(status: 401, body: ErrorBody.beyondOneYear)
        }
        return content(chart.json(from: from, until: until, now: now))
    }

    private func rank(of id: String) -> Int? { (try? MarketID(id)).flatMap(book.rank) }

    private func currency(_ query: [String: String]) throws(Refusal) -> VsCurrency {
        guard let code = query["vs_currency"], !code.isEmpty else {
            throw Refusal(status: 422, body: ErrorBody.plain("Missing parameter vs_currency"))
        }
        guard let currency = VsCurrency.byCode[code.lowercased()] else {
            throw Refusal(status: 400, body: ErrorBody.plain("invalid vs_currency"))
        }
        return currency
    }

    private func precision(
        _ query: [String: String], default precision: NumberText.Precision
    ) throws(Refusal) -> NumberText.Precision {
        guard let text = query["precision"] else { return precision }
        guard let asked = NumberText.Precision(text) else {
            throw Refusal(status: 400, body: ErrorBody.plain("invalid precision"))
        }
        return asked
    }

    private var type: [String: String] { ["Content-Type": "application/json; charset=utf-8"] }

    private func content(_ json: String) -> LoopbackServer.Answer {
        var headers = type
        headers["Cache-Control"] = "max-age=30, public, must-revalidate, s-maxage=60"
        headers["ETag"] = ETag.weak(of: json)
        headers["Vary"] = "Accept-Encoding, Origin"
        return LoopbackServer.Answer(headers: headers, body: .text(json))
    }
}
