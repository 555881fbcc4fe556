import Foundation
import Markets

/// A price field as it came. Whatever is wrong with it is wrong with its row alone.
enum WirePrice {
    case value(Decimal)
    case null, absent, unreadable

    /// A JSON number.
    init<Key>(_ row: KeyedDecodingContainer<Key>, _ key: Key) {
        do {
            if let decimal = try row.decodeIfPresent(Decimal.self, forKey: key) {
                self = .value(decimal)
            } else {
                self = row.contains(key) ? .null : .absent
            }
        } catch {
            self = .unreadable
        }
    }

    /// A number in a text, as exchanges write it.
    init<Key>(text row: KeyedDecodingContainer<Key>, _ key: Key) {
        do {
            if let text = try row.decodeIfPresent(String.self, forKey: key) {
                self = Decimal(wholeText: text).map { .value($0) } ?? .unreadable
            } else {
                self = row.contains(key) ? .null : .absent
            }
        } catch {
            self = .unreadable
        }
    }

    func row(_ market: MarketID, _ quote: (Price) -> Quote) -> QuoteRow {
        switch self {
        case .null: .unusable(market, .nullPrice)
        case .absent: .unusable(market, .absentPrice)
        case .unreadable: .unusable(market, .badPrice)
        case .value(let decimal): Price(decimal).map { .quote(quote($0)) } ?? .unusable(market, .badPrice)
        }
    }
}

extension KeyedDecodingContainer {
    /// Nil for whatever is no percentage. The double decides unless it lies next to a half of a hundredth, which
    /// spares a tenth of the decoding.
    func percent(_ key: Key) -> Percent? {
        guard let percent = try? decodeIfPresent(Double.self, forKey: key) else { return nil }
        let hundredths = percent * 100
        if abs(hundredths) < 1e6, abs(abs(hundredths.truncatingRemainder(dividingBy: 1)) - 0.5) > 1e-6 {
            return Percent(hundredths: Int64(hundredths.rounded()))
        }
        return (try? decode(Decimal.self, forKey: key)).flatMap(Percent.init(rounding:))
    }

    func text(_ key: Key) -> String? { try? decodeIfPresent(String.self, forKey: key) }
    func double(_ key: Key) -> Double? { try? decodeIfPresent(Double.self, forKey: key) }
}

extension Watch {
    /// What providers call it that write currencies in capitals.
    var currencyInCapitals: String { currency.code.uppercased() }
}
