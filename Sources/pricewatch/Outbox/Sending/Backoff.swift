import Foundation
import Markets

/// How long to wait after a delivery that failed: doubling, capped, and spread so that not all come at once.
struct Backoff: Hashable, Sendable {
    var base = Duration.seconds(1)
    var cap = Duration.minutes(5)

    /// After so many failures in a row, at least 1: between a half and the whole of base × 2^(n−1).
    ///
    /// - Parameter random: from 0 up to 1.
    func delay(after failures: Int, random: Double) -> Duration {
        let doublings = min(max(0, failures - 1), 40)
        let longest = min(cap.inSeconds, base.inSeconds * Double(1 << doublings))
        return .milliseconds(Int64(longest * (0.5 + min(max(0, random), 1) / 2) * 1000))
    }
}
