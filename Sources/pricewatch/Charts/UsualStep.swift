import Foundation
import Markets

/// The usual step of a row of moments, as it is around each of them: where healed prices of every five minutes meet
/// live ones of every minute, neither is a gap to the other.
struct UsualStep {
    /// In milliseconds; the step at i leads to the moment i + 1.
    private let steps: [Int64]
    private let fallback: Int64?

    private static let neighbours = 4

    /// - Parameters:
    ///   - moments: In order.
    ///   - fallback: The step where there are too few moments to tell; nil: any will do.
    init(_ moments: [Date], fallback: Duration? = nil) {
        let times = moments.map(\.milliseconds)
        steps = zip(times, times.dropFirst()).map { $1 - $0 }
        self.fallback = fallback?.inMilliseconds
    }

    /// Whether the moment at `index` is more than twice the usual step after the one before.
    ///
    /// - Parameter orAsFar: Exactly twice is far, too.
    func isFar(_ index: Int, orAsFar: Bool = false) -> Bool {
        let step = steps[index - 1]
        let before = steps[max(0, index - 1 - Self.neighbours)..<(index - 1)]
        let after = steps[index..<min(steps.count, index + Self.neighbours)]
        if before.isEmpty, after.isEmpty {
            guard let fallback else { return false }
            return isMore(step, than: fallback, orAsFar)
        }
        // Twice the median is less than the step where more than half of the neighbours are less than half of it.
        return [before, after].allSatisfy { side in
            side.isEmpty || side.count { isMore(step, than: $0, orAsFar) } * 2 > side.count
        }
    }

    private func isMore(_ step: Int64, than usual: Int64, _ orAsFar: Bool) -> Bool {
        orAsFar ? step >= usual * 2 : step > usual * 2
    }
}
