import Foundation
import Markets

/// What the fields of a row hold. One that does not have the form asked for is nil, and nothing to the others.
extension JSONValue {
    /// A text short enough to be a market's id. What is longer is not compared with any name: to put an endless row of
    /// marks in order takes minutes.
    var id: String? { text?.ifID }

    /// A JSON number, as percent.
    var percent: Percent? { numeral.flatMap { Percent(rounding: $0) } }

    /// A JSON number.
    var double: Double? { numeral?.double }

    /// A text that is a number as a whole, as exchanges write it.
    var numeralInText: DecimalNumeral? { reading { DecimalNumeral($0) } }

    /// A time in ISO 8601.
    var time: Date? { reading { Date(utcText: $0) }?.ifBelievable }

    /// A JSON number of milliseconds since 1970.
    var millisecondsTime: Date? { (numeral?.double).flatMap { Date(timeIntervalSince1970: $0 / 1000).ifBelievable } }

    /// A JSON number of seconds since 1970.
    var secondsTime: Date? { (numeral?.double).flatMap { Date(timeIntervalSince1970: $0).ifBelievable } }
}

extension String {
    /// Nil where it is too long for a market's id.
    var ifID: String? { utf8.count <= MarketID.longest ? self : nil }
}

extension Date {
    /// Nil before 2000 and after 2100: seconds taken for milliseconds, or no time at all.
    var ifBelievable: Date? {
        (946_684_800..<4_102_444_800).contains(timeIntervalSince1970) ? self : nil
    }
}

extension QuoteRow {
    /// The row of a market whose price stands in `field` as `numeral`, and the provider's time in `stated` as `time`.
    ///
    /// Where the time is absent or null, the provider states none. One that cannot be read makes the price unusable:
    /// taken for quoted just now, a price that stands still would look fresh for ever.
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
    /// Itself, unless it is null.
    var unlessNull: JSONValue? { isNull ? nil : self }
}

extension Watch {
    /// What providers call it that write currencies in capitals.
    var currencyInCapitals: String { currency.code.uppercased() }
}
