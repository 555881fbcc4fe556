import Foundation
import Markets

/// Samples of one series as the engine holds them: a line of VictoriaMetrics' `/api/v1/export`.
struct ReadSeries: Decodable {
    /// With its labels.
    let metric: [String: String]
    /// Nil where there is no number.
    let values: [Double?]
    /// Milliseconds since 1970.
    let timestamps: [Int64]

    /// Reads lines of JSON; nil if one has another form.
    static func lines(of body: Data) -> [ReadSeries]? {
        let decoder = JSONDecoder()
        var lines: [ReadSeries] = []
        for line in body.split(separator: UInt8(ascii: "\n")) {
            guard let series = try? decoder.decode(ReadSeries.self, from: line),
                series.values.count == series.timestamps.count
            else { return nil }
            lines.append(series)
        }
        return lines
    }
}

/// What a series is called in the engine.
struct SeriesName: Hashable {
    let market: String
    let currency: String

    static let metric = "pricewatch_price"

    init(_ market: MarketID, _ currency: Currency) {
        self.market = LineProtocol.tagValue(market.text)
        self.currency = currency.code
    }

    /// Nil for another metric.
    init?(_ labels: [String: String]) {
        guard labels["__name__"] == Self.metric, let market = labels["market"], let currency = labels["currency"] else {
            return nil
        }
        self.market = market
        self.currency = currency
    }

    /// - Parameter database: what the write API named, which VictoriaMetrics made a label.
    func selector(in database: String?) -> String {
        let labels = [("currency", currency), ("market", market)] + (database.map { [("db", $0)] } ?? [])
        let pairs = labels.map { "\($0)=\"\(Self.escaped($1))\"" }
        return "\(Self.metric){\(pairs.joined(separator: ","))}"
    }

    private static func escaped(_ value: String) -> String {
        value.replacingScalars { "\\\"".unicodeScalars.contains($0) ? "\\\($0)" : nil }
    }
}
