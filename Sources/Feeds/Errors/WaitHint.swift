import Foundation
import Markets

/// When a provider says that it may be asked again.
public enum WaitHint {
    /// Beyond this a hint is not believed; a month's quota is back by then.
    private static let longest = Duration.hours(24 * 32)

    /// What `Retry-After` says, in seconds or as a date; nil where it says nothing that can be obeyed.
    public static func retryAfter(in headers: HTTPFields, now: Date) -> Duration? {
        headers["Retry-After"].flatMap { retryAfter($0, headers, now: now) }.map { min($0, longest) }
    }

    /// From `Retry-After`, for rate limits also from `x-ratelimit-reset`; a rate limit without either waits 60 s.
    static func notBefore(_ kind: FeedError.Kind, _ headers: HTTPFields, now: Date) -> NotBefore? {
        let limited = kind == .rateLimited || kind == .quota
        let hint =
            headers["Retry-After"].flatMap { retryAfter($0, headers, now: now) }
            ?? (limited ? headers["x-ratelimit-reset"].flatMap { reset($0, headers, now: now) } : nil)
        if let hint { return NotBefore(at: now + min(hint, longest), isNamed: true) }
        return limited ? NotBefore(at: now + Classification.shortestRateWait, isNamed: false) : nil
    }

    /// Seconds, or an HTTP date; nil for anything else and for what is not positive.
    private static func retryAfter(_ text: String, _ headers: HTTPFields, now: Date) -> Duration? {
        let text = text.trimmingCharacters(in: .whitespaces)
        if let seconds = seconds(text) { return positive(seconds) }
        return HTTPDate.parse(text).flatMap { positive(remaining(until: $0, headers, now: now)) }
    }

    /// `2025-07-25 14:54:00 +0000` is what CoinGecko sends (coingecko-typescript); others send seconds or
    /// milliseconds since 1970, or seconds from now.
    private static func reset(_ text: String, _ headers: HTTPFields, now: Date) -> Duration? {
        let text = text.trimmingCharacters(in: .whitespaces)
        guard let number = seconds(text) else {
            let date = Date(utcText: text) ?? HTTPDate.parse(text)
            return date.flatMap { positive(remaining(until: $0, headers, now: now)) }
        }
        switch number.inMilliseconds {
        case 1_000_000_000_000_000...:  // milliseconds since 1970, read as seconds
            let date = Date(milliseconds: number.inMilliseconds / 1000)
            return positive(remaining(until: date, headers, now: now))
        case 1_000_000_000_000...:
            return positive(remaining(until: Date(milliseconds: number.inMilliseconds), headers, now: now))
        default: return positive(number)
        }
    }

    /// A date is meant by the sender's clock, which the same answer shows; ours may be off.
    private static func remaining(until date: Date, _ headers: HTTPFields, now: Date) -> Duration {
        date.since(headers["Date"].flatMap(HTTPDate.parse) ?? now)
    }

    private static func positive(_ duration: Duration) -> Duration? { duration > .zero ? duration : nil }

    private static func seconds(_ text: String) -> Duration? {
        guard let number = Decimal(wholeText: text), number >= 0, number < 1e14 else { return nil }
        // Rounded up: not one moment too early.
        var product = number * 1000
        var whole = Decimal()
        NSDecimalRound(&whole, &product, 0, .up)
        return .milliseconds((whole as NSDecimalNumber).int64Value)
    }
}
