import Foundation
import HTTP
import Markets

/// The time before which no request is sent.
package struct NotBefore: Hashable, Sendable {
    package var at: Date
    /// True if the provider named it (`Retry-After` and the like), false if it is our own back-off.
    package var isNamed: Bool

    package init(at: Date, isNamed: Bool) {
        self.at = at
        self.isNamed = isNamed
    }
}

extension NotBefore {
    /// The minimum wait after a rate limit without `Retry-After`.
    static let shortestRateWait = Duration.seconds(60)

    /// From `Retry-After`, for rate limits also from `x-ratelimit-reset`; 60 s for a rate limit without either.
    init?(_ kind: PollError.Kind, _ headers: HTTPFields, now: Date) {
        let isLimit = kind == .rateLimited || kind == .quota
        if let hint = headers.retryAfter(now: now) ?? (isLimit ? headers.rateLimitReset(now: now) : nil) {
            self.init(at: now + hint, isNamed: true)
        } else if isLimit {
            self.init(at: now + Self.shortestRateWait, isNamed: false)
        } else {
            return nil
        }
    }
}

extension HTTPFields {
    /// CoinGecko sends `2025-07-25 14:54:00 +0000` (coingecko-typescript); others send seconds or milliseconds since
    /// 1970, or seconds from now.
    fileprivate func rateLimitReset(now: Date) -> Duration? {
        guard let text = self["x-ratelimit-reset"]?.trimmingCharacters(in: .whitespaces) else { return nil }
        guard let number = Duration(secondsText: text) else {
            let date = Date(utcText: text) ?? HTTPDate.parse(text)
            return date.flatMap { remaining(until: $0, now: now).boundedWait }
        }
        switch number.inMilliseconds {
        case 1_000_000_000_000_000...:  // milliseconds since 1970, read as seconds
            return remaining(until: Date(milliseconds: number.inMilliseconds / 1000), now: now).boundedWait
        case 1_000_000_000_000...:
            return remaining(until: Date(milliseconds: number.inMilliseconds), now: now).boundedWait
        default: return number.boundedWait
        }
    }
}
