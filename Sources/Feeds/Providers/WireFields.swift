import Foundation
import Markets

/// What the fields of a row hold. One that does not have the form asked for is nil, and nothing to the others.
extension JSONValue {
    /// A JSON number, as percent.
    var percent: Percent? { numeral.flatMap { Percent(rounding: $0) } }

    /// A JSON number.
    var double: Double? { numeral?.double }

    /// A text that is a number as a whole, as exchanges write it.
    var numeralInText: DecimalNumeral? { reading { DecimalNumeral($0) } }

    /// A time in ISO 8601.
    var time: Date? { reading { Date(utcText: $0) } }
}

extension QuoteRow {
    /// The row of a market whose price stands in `field` as `numeral`.
    static func priced(
        _ market: MarketID, _ field: JSONValue?, _ numeral: DecimalNumeral?, _ quote: (Price) -> Quote
    ) -> QuoteRow {
        guard let field else { return .unusable(market, .absentPrice) }
        if field.isNull { return .unusable(market, .nullPrice) }
        guard let price = numeral.flatMap(Price.init) else { return .unusable(market, .badPrice) }
        return .quote(quote(price))
    }
}

extension Watch {
    /// What providers call it that write currencies in capitals.
    var currencyInCapitals: String { currency.code.uppercased() }
}
