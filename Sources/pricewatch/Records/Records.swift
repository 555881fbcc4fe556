import Foundation
import History
import Markets

/// The columns of exported rows: those of the views `prices` and `candles`, with ISO times and exact prices.
enum Records {
    static let sampleColumns = ["market", "quoted_at", "fetched_at", "price", "currency", "feed", "confirmed"]

    static func values(of sample: RecordedSample) -> [RecordValue] {
        [
            .text(sample.market.text), .text(sample.quotedAt.utcText), .text(sample.fetchedAt.utcText),
            .text(sample.price.description), .text(sample.currency.code), sample.feed.map(RecordValue.text) ?? .absent,
            .number(sample.confirmed ? "1" : "0"),
        ]
    }

    static let candleColumns = [
        "market", "currency", "start", "open", "high", "low", "close", "samples", "volume_24h", "market_cap",
    ]

    static func values(of candle: Candle, _ market: MarketID, _ currency: Currency) -> [RecordValue] {
        let prices = [candle.open, candle.high, candle.low, candle.close].map { RecordValue.text($0.description) }
        return [.text(market.text), .text(currency.code), .text(candle.start.utcText)] + prices + [
            .number("\(candle.samples)"), .amount(candle.volume24h), .amount(candle.marketCap),
        ]
    }
}

/// One field of an exported row.
enum RecordValue {
    case text(String)
    /// A number, written as it is.
    case number(String)
    case absent

    /// An amount of money, written without an exponent. Its range is larger than that of a price.
    static func amount(_ value: Double?) -> RecordValue {
        guard let value, value.isFinite, let numeral = DecimalNumeral("\(value)") else { return .absent }
        return .number(numeral.plainText)
    }
}
