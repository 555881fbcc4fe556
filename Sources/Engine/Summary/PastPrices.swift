import Foundation
import Markets

/// The recorded prices around a fixed age, such as a day ago.
///
/// Holds only prices within the tolerance, so its size depends on the polls of an hour, not of a day.
package struct PastPrices: Sendable {
    package let age: Duration
    package let tolerance: Duration
    private var points: [MarketID: [Point]] = [:]

    fileprivate struct Point {
        var quotedAt: Int64
        var price: Price
    }

    package init(age: Duration = .hours(24), tolerance: Duration = .minutes(30)) {
        self.age = age
        self.tolerance = tolerance
    }

    /// The range of quote times that quotes of about `now` are compared with.
    package func span(at now: Date) -> ClosedRange<Date> {
        (now - age - tolerance)...(now - age + tolerance)
    }

    /// Adds a sample, in any order; chronological order is fastest.
    package mutating func add(_ market: MarketID, quotedAt: Date, price: Price) {
        let point = Point(quotedAt: quotedAt.milliseconds, price: price)
        points[market, default: []].insert(inOrder: point)
    }

    /// Drops prices too old for quotes from `now` on.
    package mutating func forget(at now: Date) {
        let limit = (now - age - tolerance).milliseconds
        for market in points.keys {
            guard let list = points[market], let oldest = list.first, oldest.quotedAt < limit else { continue }
            points[market]?.removeFirst(list.firstIndex { $0.quotedAt >= limit } ?? list.count)
        }
    }

    /// The recorded price nearest to `age` before `quotedAt`; nil if none is within the tolerance.
    package func price(of market: MarketID, before quotedAt: Date) -> Price? {
        guard let list = points[market] else { return nil }
        let target = (quotedAt - age).milliseconds
        var (low, high) = (0, list.count)
        while low < high {
            let middle = (low + high) / 2
            if list[middle].quotedAt < target { low = middle + 1 } else { high = middle }
        }
        let near = [low - 1, low].filter(list.indices.contains).min {
            abs(list[$0].quotedAt - target) < abs(list[$1].quotedAt - target)
        }
        guard let near, abs(list[near].quotedAt - target) <= tolerance.inMilliseconds else { return nil }
        return list[near].price
    }
}

extension [PastPrices.Point] {
    fileprivate mutating func insert(inOrder point: PastPrices.Point) {
        var place = count
        while place > 0, self[place - 1].quotedAt > point.quotedAt { place -= 1 }
        if place == count { append(point) } else { insert(point, at: place) }
    }
}
