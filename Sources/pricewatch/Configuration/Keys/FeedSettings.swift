import Feeds
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
        /// `every`: at least 1 s; nil: `poll.every`, then by plan.
        var every: Duration?
        /// `stale_after`: nil: `poll.stale_after`, then by interval.
        var staleAfter: Duration?
        /// `allow_http`: allows plain http to other machines.
        var allowHTTP = false
        /// The keys of `provider: json`; nil for every other provider.
        var json: JSONFeed?
    }
}

extension Configuration.Feed {
    /// - Parameter currency: The currency of prices; nil if the file's value is invalid.
    static func list(_ root: Section, in currency: Currency?) -> [Configuration.Feed]? {
        let items = root.items("feeds")
        guard root.holds("feeds") else { return nil }
        if root.isEmptyList("feeds") {
            root.fault(at: "feeds", "is empty, so there is nobody to ask; leave it out for CoinGecko without a key")
        }
        var feeds: [Configuration.Feed] = []
        for item in items {
            guard let section = item.section(), let feed = Configuration.Feed(section, item: item, in: currency) else {
                continue
            }
            if let twin = feeds.first(where: { $0.name == feed.name }) {
                if section.holds("name") {
                    section.fault(at: "name", "another feed is called \(feed.name), too")
                } else {
                    item.fault("\(twin.provider.rawValue) is listed twice in feeds: give this one a name")
                }
            }
            feeds.append(feed)
        }
        return feeds.isEmpty ? nil : feeds
    }

    private init?(_ section: Section, item: Item, in currency: Currency?) {
        let provider = section.value("provider", .word(ProviderName.self))
        if !section.holds("provider") {
            let all = ProviderName.allCases.map(\.rawValue).joined(separator: ", ")
            item.fault("needs a provider: one of \(all)")
        }
        let name = section.value("name", .name(upTo: 64))
        let plan = section.value("plan", .word(ProviderPlan.self))
        let key = section.secret("key")
        let allowHTTP = section.value("allow_http", .boolean) ?? false
        let rule: URLRule = provider == .json ? .template(allowHTTP: allowHTTP) : .plain(allowHTTP: allowHTTP)
        let url = section.value("url", .url(rule))
        let quota = section.value("quota_month", .integer(1...1_000_000_000))
        let every = section.value("every", .interval)
        let staleAfter = section.value("stale_after", .duration(atLeast: .seconds(1)))
        let json = Configuration.JSONFeed(section, provider: provider, url: url, key: key, in: currency)
        section.finish()
        guard let provider else { return nil }
        self.init(
            name: name ?? provider.rawValue, provider: provider, plan: plan ?? .public, key: key, url: url,
            quotaMonth: quota, every: every, staleAfter: staleAfter, allowHTTP: allowHTTP, json: json)
        judgePlan(section, item: item, given: plan)
    }

    /// Reports an unused key, or a plan without its required key: the provider's own error would not say so.
    private func judgePlan(_ section: Section, item: Item, given: ProviderPlan?) {
        if provider.plans.isEmpty {
            if given != nil { section.fault(at: "plan", "\(provider.rawValue) has no plans; leave it out") }
            if key != nil, !provider.takesKeyWithoutPlan {
                section.fault(at: "key", "\(provider.rawValue) takes no key; leave it out")
            }
            return
        }
        guard provider.plans.contains(plan) else {
            let known = provider.plans.map(\.rawValue).joined(separator: " or ")
            section.fault(at: "plan", "\(provider.rawValue) has no plan \(plan.rawValue): use \(known)")
            return
        }
        if plan.needsKey, key == nil, !section.holds("key") {
            section.fault(at: "plan", "the plan \(plan.rawValue) needs a key: add key_file, key_env or key")
        }
        if !plan.needsKey, section.holds("key") {
            let others = provider.plans.filter(\.needsKey).map { "plan: \($0.rawValue)" }.joined(separator: " or ")
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

    /// Whether `key` can be set without a plan: only for `json`, whose configuration says where it goes.
    var takesKeyWithoutPlan: Bool { self == .json }
}
