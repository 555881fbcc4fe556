import Foundation
import Markets

/// The usual step between times, measured near each of them: where backfilled prices of every five minutes meet polled
/// ones of every minute, there is no gap.
struct UsualStep {
    /// In milliseconds; the step at i is from time i to time i + 1.
    private let steps: [Int64]
    private let fallback: Int64?

    private static let neighbours = 4

    /// - Parameters:
    ///   - moments: In order.
    ///   - fallback: The usual step if there are too few times; nil: any step is usual.
    init(_ moments: [Date], fallback: Duration? = nil) {
        let times = moments.map(\.milliseconds)
        steps = zip(times, times.dropFirst()).map { $1 - $0 }
        self.fallback = fallback?.inMilliseconds
    }

    /// Whether the step before the time at `index` is more than twice the usual one.
    ///
    /// - Parameter orAsFar: Whether exactly twice counts, too.
    func isFar(_ index: Int, orAsFar: Bool = false) -> Bool {
        let step = steps[index - 1]
        let before = steps[max(0, index - 1 - Self.neighbours)..<(index - 1)]
        let after = steps[index..<min(steps.count, index + Self.neighbours)]
        if before.isEmpty, after.isEmpty {
            guard let fallback else { return false }
            return isMore(step, than: fallback, orAsFar)
        }
        // The step exceeds twice the median if it exceeds twice the step of more than half of the neighbours.
        return [before, after].allSatisfy { side in
            side.isEmpty || side.count { isMore(step, than: $0, orAsFar) } * 2 > side.count
        }
    }

    private func isMore(_ step: Int64, than usual: Int64, _ orAsFar: Bool) -> Bool {
        orAsFar ? step >= usual * 2 : step > usual * 2
    }
}
