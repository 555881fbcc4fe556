import Engine
import Foundation
import Markets

/// One market's prices over a time range with its alert events: the input of all drawings.
struct Chart {
    var market: MarketID
    var symbol: String
    var name: String
    var currency: Currency
    var start: Date
    var end: Date
    var series: ChartSeries
    /// Firing and resolved events in the range, oldest first.
    var events: [AlertEvent]

    /// `Bitcoin (BTC) in usd`, safe to print; a long name is cut.
    func title(atMost length: Int) -> String {
        let name = self.name.isEmpty ? market.text : self.name
        let symbol = self.symbol.isEmpty ? "" : " (\(SafeText.printable(self.symbol.uppercased(), atMost: 12)))"
        let currency = " in \(currency)"
        return SafeText.printable(name + symbol, atMost: length - currency.count) + currency
    }

    /// `2026-11-20 10:00 to 2026-11-21 10:00 UTC`; with seconds if the range is shorter than 10 minutes.
    var time: String {
        let seconds = end.since(start) < .minutes(10)
        func text(_ date: Date) -> String {
            String(date.utcText.prefix(seconds ? 19 : 16)).replacing("T", with: " ")
        }
        let (from, to) = (text(start), text(end))
        let sameDay = from.prefix(10) == to.prefix(10)
        return "\(from) to \(sameDay ? String(to.dropFirst(11)) : to) UTC"
    }

    /// `high 78,000.12`, `low …`, `last …`, `change +1.25 %`; or that nothing was recorded.
    var facts: [String] {
        guard let high = series.high, let low = series.low, let last = series.last, let change = series.change else {
            return ["nothing recorded in this time"]
        }
        return [
            "high \(high.shortText)", "low \(low.shortText)", "last \(last.shortText)", "change \(change.signed) %",
        ]
    }
}

extension AlertEvent {
    /// The direction of the price that fired the alert; nil if the alert is not about a price direction.
    var direction: PriceDirection? {
        if let change = changePercent, change != .zero { return change > .zero ? .up : .down }
        if let price, let threshold, price != threshold { return price > threshold ? .up : .down }
        return switch condition {
        case .above, .rises, .newHigh: .up
        case .below, .falls, .newLow: .down
        default: nil
        }
    }
}

enum PriceDirection {
    case up, down
}
