import Foundation
import Markets

/// The fields of a row. A field of another type is nil, and does not affect the others.
extension JSONValue {
    /// A text short enough for a market's id. Longer texts are not compared with names: Unicode normalisation of a very
    /// long run of combining marks takes minutes.
    var id: String? { text?.ifID }

    /// A JSON number, as percent.
    var percent: Percent? { numeral.flatMap { Percent(rounding: $0) } }

    /// A JSON number.
    var double: Double? { numeral?.double }

    /// A text that is a number, as exchanges write it.
    var numeralInText: DecimalNumeral? { reading { DecimalNumeral($0) } }

    /// A time in ISO 8601.
    var time: Date? { reading { Date(utcText: $0) }?.ifBelievable }

    /// A JSON number of milliseconds since 1970.
    var millisecondsTime: Date? { (numeral?.double).flatMap { Date(timeIntervalSince1970: $0 / 1000).ifBelievable } }

    /// A JSON number of seconds since 1970.
    var secondsTime: Date? { (numeral?.double).flatMap { Date(timeIntervalSince1970: $0).ifBelievable } }
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

extension QuoteRow {
    /// The row of a market with its price in `field` as `numeral`, and the provider's time in `stated` as `time`.
    ///
    /// An absent or null time means that the provider states none. An unreadable time makes the price unusable: if it
    /// were treated as quoted now, an old price would look fresh forever.
    static func priced(
        _ market: MarketID, _ field: JSONValue?, _ numeral: DecimalNumeral?, at stated: JSONValue?, _ time: Date?,
        _ quote: (Price) -> Quote
    ) -> QuoteRow {
        guard let field else { return .unusable(market, .absentPrice) }
        if field.isNull { return .unusable(market, .nullPrice) }
        guard let price = numeral.flatMap(Price.init) else { return .unusable(market, .badPrice) }
        if let stated, !stated.isNull, time == nil { return .unusable(market, .badTime) }
        return .quote(quote(price))
    }
}

extension JSONValue {
    /// Nil if the value is null.
    var unlessNull: JSONValue? { isNull ? nil : self }
}

extension Watch {
    /// The currency code for providers that use capitals.
    var currencyInCapitals: String { currency.code.uppercased() }
}
