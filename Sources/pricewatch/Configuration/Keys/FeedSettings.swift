import Markets

extension Configuration {
    /// One entry of `feeds`.
    struct Feed: Hashable, Sendable {
        /// `name`: default the provider; unique, 1 to 64 characters.
        var name: String
        /// `provider`: must be given.
        var provider: Provider
        /// `plan`: default `public`.
        var plan: Plan = .public
        /// `key`: needed by the plans demo and pro.
        var key: Secret?
        /// `url`: in place of the plan's own host; a template where the provider is `json`.
        var url: String?
        /// `quota_month`: requests a month; nil: by plan, see `monthlyQuota`.
        var quotaMonth: Int?
        /// `every`: nil: `poll.every`, then by plan. From 1 s on.
        var every: Duration?
        /// `stale_after`: nil: `poll.stale_after`, then by interval.
        var staleAfter: Duration?
        /// `allow_http`: plain http to other machines, too.
        var allowHTTP = false
        /// The keys of `provider: json`; nil at every other provider.
        var json: JSONFeed?
    }
}

extension Configuration.Feed {
    /// - Parameter currency: what prices are asked in; nil where the file says it wrongly.
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
                    item.fault("\(twin.provider.rawValue) stands twice in feeds: give this one a name")
                }
            }
            feeds.append(feed)
        }
        return feeds.isEmpty ? nil : feeds
    }

    private init?(_ section: Section, item: Item, in currency: Currency?) {
        let provider = section.value("provider", .word(Provider.self))
        if !section.holds("provider") {
            let all = Provider.allCases.map(\.rawValue).joined(separator: ", ")
            item.fault("needs a provider: one of \(all)")
        }
        let name = section.value("name", .name(upTo: 64))
        let plan = section.value("plan", .word(Plan.self))
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

    /// A key that nobody asks for, or a plan without the key that opens it, is an error of the owner's that the
    /// provider would answer with a riddle.
    private func judgePlan(_ section: Section, item: Item, given: Plan?) {
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
