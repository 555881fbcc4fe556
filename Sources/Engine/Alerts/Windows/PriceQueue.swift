import Markets

/// A monotonic queue of one market's prices, oldest first: each is lower (or higher) than all later ones, so the first
/// in a window is the window's extreme.
///
/// All windows of a market share one queue, because a shorter window's queue is the tail of a longer one's; each window
/// stores only where it begins. Adding and reading take constant time on average, whatever the window's length.
struct PriceQueue: Sendable {
    /// A price and its time in 16 bytes: 17,000 markets have millions of them.
    struct Point: Sendable {
        let significand: Int64
        private let timeAndExponent: Int64

        init(_ price: Price, at time: Int64) {
            significand = price.significand
            timeAndExponent = time << 8 | Int64(price.exponent + 64)
        }

        var time: Int64 { timeAndExponent >> 8 }
        var exponent: Int { Int(timeAndExponent & 0xFF) - 64 }
        var price: Price? { Price(significand: significand, exponent: exponent) }
        var double: Double {
            let exponent = exponent
            let digits = Double(significand)
            return exponent >= 0 ? digits * PowersOfTen.double[exponent] : digits / PowersOfTen.double[-exponent]
        }
    }

    /// Points before `head` are no longer used; they are removed in batches.
    private var points: [Point] = []
    private var head = 0
    /// The number of points removed from the front, so that places do not change when points are removed.
    private var base = 0

    /// The place of the oldest point, and the one after the newest.
    var first: Int { base + head }
    var end: Int { base + points.count }

    subscript(place: Int) -> Point { points[place - base] }

    /// Adds the newest point and removes the points that it outdoes, which no window needs any more.
    mutating func add(_ point: Point, outdoes: (Point, Point) -> Bool) {
        while points.count > head, let last = points.last, outdoes(point, last) { points.removeLast() }
        points.append(point)
    }

    /// Drops the points before `place`.
    mutating func forget(before place: Int) {
        head = min(max(head, place - base), points.count)
        guard head > 32, head > points.count / 2 else { return }
        points.removeFirst(head)
        base += head
        head = 0
    }
}

extension PriceQueue.Point {
    /// Exact. The doubles decide unless they are too close to be reliable.
    func isAtMost(_ other: Self) -> Bool {
        let (a, b) = (double, other.double)
        if abs(a - b) > 1e-14 * max(a, b) { return a < b }
        guard let price, let other = other.price else { return a <= b }
        return price <= other
    }
}
