import Engine
import Feeds
import Foundation
import Markets

/// What a feed is polled for, its interval, and the cost.
struct FeedCost {
    enum Role: String {
        /// The preferred of the feeds in order of preference.
        case serves
        /// Used when the feeds before it fail; its cost is for a month in which it serves throughout.
        case standsBy = "stands_by"
        /// Serves the markets that name it.
        case own
    }

    let feed: Configuration.Feed
    let role: Role
    /// The named markets.
    let markets: [MarketID]
    let currency: Currency
    let every: Duration
    let requestsPerPoll: Int
    private var requestsPerMonth: Int { Quota.cost(pages: requestsPerPoll, every: every) }

    static func all(_ configuration: Configuration, _ sources: [SourceSettings]) -> [FeedCost] {
        sources.flatMap { source in
            source.members.enumerated().map { place, member in
                FeedCost(
                    feed: configuration.feed(named: member.feed),
                    role: source.id != .shared ? .own : place == 0 ? .serves : .standsBy,
                    markets: member.watch.entries.map(\.market), currency: member.watch.currency,
                    every: max(source.every, member.every), requestsPerPoll: member.pages)
            }
        }
    }

    var lines: [String] {
        let provider = feed.name == feed.provider.rawValue ? [] : [feed.provider.rawValue]
        let details = provider + (feed.provider.plans.isEmpty ? [] : ["plan \(feed.plan.rawValue)"]) + host
        let who = feed.name + (details.isEmpty ? "" : " (\(details.joined(separator: ", ")))")
        let asks = role == .standsBy ? "stands by:     " : "asks:          "
        let alone = role == .own ? ", alone for \(markets.map(\.text).shortened.joined(separator: ", "))" : ""
        let requests = "\(requestsPerPoll) request\(requestsPerPoll == 1 ? "" : "s") a poll"
        let month =
            role == .standsBy
            ? " while it serves, \(requestsPerMonth) if it served a whole month" : ", \(requestsPerMonth) a month"
        let share = feed.wholeQuota.flatMap { feed.quotaShare < 1 ? ", \(feed.quotaShare) of \($0)" : nil } ?? ""
        let quota = feed.monthlyQuota.map { " (quota \($0)\(share))" } ?? ""
        return ["\(asks)\(who) every \(every.unitsText)\(alone)", "costs:         \(requests)\(month)\(quota)"]
    }

    /// The host of its own `url`, without path and query, which may contain a key.
    private var host: [String] {
        guard let url = feed.url, let parts = URLComponents(string: url.replacing(/[?{].*/, with: "")),
            let scheme = parts.scheme, let host = parts.host
        else { return [] }
        return ["at \(scheme)://\(host)\(parts.port.map { ":\($0)" } ?? "")"]
    }

    /// A monthly cost over the quota; nil if there is none.
    var warning: String? {
        guard let quota = feed.monthlyQuota, requestsPerMonth > quota else { return nil }
        // For a month of 31 days, in whole seconds.
        let lasting = Duration.seconds((requestsPerPoll * 31 * 86_400 + quota - 1) / quota).unitsText
        if role == .standsBy {
            return
                "\(feed.name): if it served a whole month, its quota of \(quota) would stretch the interval to \(lasting)"
        }
        let key = role == .serves && feed.every == nil ? "poll.every" : "every of the feed \(feed.name)"
        return "\(feed.name): \(requestsPerMonth) requests a month are more than the quota of \(quota); "
            + "the interval will be stretched to make it last (set \(key) to \(lasting) or more)"
    }

    func write(_ json: inout JSONWriter) {
        json.object { json in
            json.member("name", feed.name)
            json.member("provider", feed.provider.rawValue)
            json.member("plan", feed.plan.rawValue)
            json.member("role", role.rawValue)
            json.member("currency", currency.code)
            json.key("every_s")
            json.number(every.secondsLiteral)
            json.member("requests_per_poll", requestsPerPoll)
            json.member("requests_per_month", requestsPerMonth)
            json.member("quota_month", feed.monthlyQuota)
        }
    }
}
