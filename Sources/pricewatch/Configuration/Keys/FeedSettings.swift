import Feeds
import Foundation
import HTTP
import Markets

extension Configuration {
    /// One entry of `feeds`.
    struct Feed: Hashable, Sendable {
        /// `name`: defaults to the provider; unique, 1 to 64 characters.
        var name: String
        /// `provider`: required.
        var provider: ProviderName
        /// `plan`: defaults to `public`.
        var plan: ProviderPlan = .public
        /// `key`: required by the plans demo and pro.
        var key: Secret?
        /// `url`: replaces the plan's host; a template for the provider `json`.
        var url: String?
        /// `quota_month`: requests a month; nil: by plan, see `monthlyQuota`.
        var quotaMonth: Int?
        /// `quota_share`: this daemon's part of the quota, above 0, at most 1.
        var quotaShare: Decimal = 1
        /// `every`: at least 1 s; nil: `poll.every`, then by plan.
        var every: Duration?
        /// `stale_after`: nil: `poll.stale_after`, then by interval.
        var staleAfter: Duration?
        /// `allow_http`: allows plain http to other machines.
        var allowHTTP = false
        /// `currency`: what a `json` feed quotes in; nil: the configuration's.
        var currency: Currency?
        /// What `provider: json` polls; nil for every other provider.
        var json: JSONFeed?
    }
}

extension Configuration.Feed {
    /// - Parameter currency: The configuration's.
    static func list(_ root: Section, in currency: Currency) -> [Configuration.Feed]? {
        guard let items = root.items("feeds") else { return nil }
        if items.isEmpty {
            root.fault(at: "feeds", "is empty, so no feed would be polled; leave it out for CoinGecko without a key")
        }
        var feeds: [Configuration.Feed] = []
        for item in items {
            let feed = item.section { section in
                let feed = Configuration.Feed(section, in: currency)
                if let feed, feeds.contains(where: { $0.name == feed.name }) {
                    section.fault(at: "name", "another feed is called \(feed.name), too: give this one a name")
                }
                return feed
            }
            feeds += [feed].compactMap { $0 }
        }
        return feeds.isEmpty ? nil : feeds
    }

    private init?(_ section: Section, in currency: Currency) {
        let provider = section.value("provider", .word as Scalar<ProviderName>)
        if !section.holds("provider") {
            section.fault("needs a provider: one of \(ProviderName.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        self.init(name: provider?.rawValue ?? "", provider: provider ?? .json)
        section.read("name", into: &name, .name(upTo: 64))
        section.read("plan", into: &plan, .word)
        key = section.secret("key")
        section.read("allow_http", into: &allowHTTP, .boolean)
        section.read(
            "url", into: &url, provider == .json ? .urlTemplate(allowHTTP: allowHTTP) : .url(allowHTTP: allowHTTP))
        section.read("quota_month", into: &quotaMonth, .integer(1...1_000_000_000))
        section.read("quota_share", into: &quotaShare, .share)
        section.read("every", into: &every, .interval)
        section.read("stale_after", into: &staleAfter, .duration(atLeast: .seconds(1)))
        readJSON(section, isJSON: provider.map { $0 == .json }, in: currency)
        guard provider != nil else { return nil }
        judgePlan(section)
        if quotaShare < 1, wholeQuota == nil {
            section.item("quota_share")?.warn("has no effect: there is no quota to share (quota_month)")
        }
    }

    /// Reports an unused key, or a plan without its required key: the provider's own error would not say so.
    private func judgePlan(_ section: Section) {
        let plans = provider.plans
        if plans.isEmpty {
            if section.holds("plan") { section.fault(at: "plan", "\(provider.rawValue) has no plans; leave it out") }
            if key != nil, provider != .json {
                section.fault(at: "key", "\(provider.rawValue) takes no key; leave it out")
            }
        } else if !plans.contains(plan) {
            let known = plans.map(\.rawValue).joined(separator: " or ")
            section.fault(at: "plan", "\(provider.rawValue) has no plan \(plan.rawValue): use \(known)")
        } else if plan.needsKey, !section.holds("key") {
            section.fault(at: "plan", "the plan \(plan.rawValue) needs a key: add key_file, key_env or key")
        } else if !plan.needsKey, section.holds("key") {
            let others = plans.filter(\.needsKey).map { "plan: \($0.rawValue)" }.joined(separator: " or ")
            section.fault(at: "key", "the plan public takes no key: say \(others)")
        }
    }
}

/// The provider of a feed.
enum ProviderName: String, Hashable, Sendable, CaseIterable {
    case coinGecko = "coingecko"
    case coinPaprika = "coinpaprika"
    case coinMarketCap = "coinmarketcap"
    case binance
    case kraken
    case json

    /// What is built in about the provider; nil for `json`, which the configuration describes.
    var listed: (any ListedProvider.Type)? { Providers.named(rawValue) }

    /// The provider's plans. Empty: there is no choice, and `plan` is rejected.
    var plans: [ProviderPlan] {
        guard let terms = listed?.terms, terms.count > 1 else { return [] }
        return ProviderPlan.allCases.filter { terms[$0] != nil }
    }
}
