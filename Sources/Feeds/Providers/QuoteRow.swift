import Foundation
import Markets

/// One row of an answer. A bad row does not affect the others.
package enum QuoteRow: Sendable, Hashable {
    case quote(Quote)
    case unusable(MarketID, UnknownReason)
    /// The row has no price field at all.
    case priceless(MarketID)
    /// No valid market id.
    case nameless

    /// The row of a market with its price in one field and the provider's time in another.
    ///
    /// An absent or null time means that the provider states none. An unreadable time makes the price unusable: if it
    /// were treated as quoted now, an old price would look fresh forever.
    static func priced(
        _ market: MarketID, _ field: JSONValue?, _ numeral: (JSONValue) -> DecimalNumeral?,
        at stated: JSONValue? = nil, _ time: (JSONValue) -> Date? = { _ in nil },
        _ quote: (Price, _ quotedAt: Date?) -> Quote
    ) -> QuoteRow {
        guard let field else { return .priceless(market) }
        if field.isNull { return .unusable(market, .nullPrice) }
        guard let price = numeral(field).flatMap(Price.init) else { return .unusable(market, .badPrice) }
        let quotedAt = stated.flatMap(time)
        if let stated, !stated.isNull, quotedAt == nil { return .unusable(market, .badPrice) }
        return .quote(quote(price, quotedAt))
    }
}

extension [QuoteRow] {
    /// Why the whole page is refused, or nil; completes "the answer …".
    ///
    /// If no row has a price field of the right type, the provider has changed its format. If all prices are null, that
    /// is assumed only if at least two of the same markets had a price `before`: a single coin may lose its price.
    func schemaDrift(since before: [Quote]) -> String? {
        guard !isEmpty else { return nil }
        var nameless = 0
        var null: Set<MarketID> = []
        for row in self {
            switch row {
            case .priceless: break
            case .unusable(let market, .nullPrice): null.insert(market)
            case .nameless: nameless += 1
            case .quote, .unusable: return nil
            }
        }
        if nameless == count { return "has no id in any of its \(count) rows" }
        if null.isEmpty { return "has no price field in any of its \(count) rows" }
        let lost = before.count { null.contains($0.market) }
        return lost < 2 ? nil : "has no price in any of its \(count) rows, where it had some before"
    }
}

// MARK: Fields of a row

/// A field of another type is nil, and does not affect the others.
extension JSONValue {
    /// A text short enough for a market's id. Longer texts are not compared with names: Unicode normalisation of a very
    /// long run of combining marks takes minutes.
    var id: String? { text?.ifID }

    /// A JSON number, as percent.
    var percent: Percent? { numeral.flatMap { Percent(rounding: $0) } }

    /// A JSON number.
    var double: Double? { numeral?.double }

    /// A time in ISO 8601.
    var time: Date? { reading { Date(utcText: $0) }?.ifBelievable }

    /// A JSON number of milliseconds since 1970.
    var millisecondsTime: Date? { double.flatMap { Date(timeIntervalSince1970: $0 / 1000).ifBelievable } }

    /// A JSON number of seconds since 1970.
    var secondsTime: Date? { double.flatMap { Date(timeIntervalSince1970: $0).ifBelievable } }
}

extension String {
    /// Nil if it is too long for a market's id.
    var ifID: String? { utf8.count <= MarketID.longest ? self : nil }
}

extension Date {
    /// Nil before 2000 and after 2100: seconds mistaken for milliseconds, or not a time.
    var ifBelievable: Date? {
        (946_684_800..<4_102_444_800).contains(timeIntervalSince1970) ? self : nil
    }
}
