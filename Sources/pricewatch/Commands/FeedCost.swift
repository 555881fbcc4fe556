import Feeds
import Markets

/// What a feed is asked for, how often, and what that costs.
struct FeedCost {
    enum Role: String {
        /// Asked first, of the feeds in order of preference.
        case serves
        /// Asked where those before it fail; the cost is that of a month in which it serves throughout.
        case standsBy = "stands_by"
        /// Asked for the markets that name it.
        case own
    }

    let feed: Configuration.Feed
    let role: Role
    /// Asked for by name.
    let markets: [MarketID]
    let every: Duration
    let requestsPerPoll: Int
    var requestsPerMonth: Int { Quota.cost(pages: requestsPerPoll, every: every) }

    static func all(_ configuration: Configuration) throws -> [FeedCost] {
        try configuration.lanePlans.filter { !$0.ridesAlong }.flatMap { plan in
            try plan.members.enumerated().map { place, member in
                FeedCost(
                    feed: member.feed, role: plan.lane != .shared ? .own : place == 0 ? .serves : .standsBy,
                    markets: member.watch.entries.map(\.market),
                    every: max(plan.every, member.feed.every ?? plan.every),
                    requestsPerPoll: try member.feed.madeProvider().pages(for: member.watch).count)
            }
        }
    }

    var lines: [String] {
        let plan = feed.provider.plans.isEmpty ? "" : ", plan \(feed.plan.rawValue)"
        let who = "\(feed.name) (\(feed.provider.rawValue)\(plan))"
        let requests = "\(requestsPerPoll) request\(requestsPerPoll == 1 ? "" : "s") a poll"
        let quota = feed.monthlyQuota.map { " of \($0)" } ?? ""
        switch role {
        case .serves:
            return [
                "asks:          \(who) every \(every.unitsText)",
                "costs:         \(requests), \(requestsPerMonth) a month\(quota)",
            ]
        case .own:
            return [
                "asks:          \(who) every \(every.unitsText), alone for \(CheckFindings.shortened(markets.map(\.text)))",
                "costs:         \(requests), \(requestsPerMonth) a month\(quota)",
            ]
        case .standsBy:
            return [
                "stands by:     \(who) every \(every.unitsText)",
                "costs:         \(requests) while it serves, \(requestsPerMonth) in a month of it\(quota)",
            ]
        }
    }

    func write(_ json: inout JSONWriter) {
        json.object { json in
            json.member("name", feed.name)
            json.member("provider", feed.provider.rawValue)
            json.member("plan", feed.plan.rawValue)
            json.member("role", role.rawValue)
            json.key("every_s")
            json.number(every.secondsLiteral)
            json.member("requests_per_poll", requestsPerPoll)
            json.member("requests_per_month", requestsPerMonth)
            json.member("quota_month", feed.monthlyQuota)
        }
    }
}

extension [FeedCost] {
    /// Feeds that are asked for more than their month allows.
    var warnings: [String] {
        let regular = filter { $0.role != .standsBy }
        return regular.compactMap { cost -> String? in
            guard let quota = cost.feed.monthlyQuota, cost.requestsPerMonth > quota else { return nil }
            let key =
                cost.role == .serves && cost.feed.every == nil ? "poll.every" : "every of the feed \(cost.feed.name)"
            return "\(cost.feed.name): \(cost.requestsPerMonth) requests a month are more than the quota of \(quota); "
                + "the interval will be stretched to make it last (set \(key) to "
                + "\(Quota.every(pages: cost.requestsPerPoll, lasting: quota).unitsText) or more)"
        }
    }
}
