import Foundation
import HTTP
import Markets

/// Polls a provider for a watchlist, and keeps the decoded pages for 304 answers.
package actor Feed {
    package nonisolated let name: String
    /// For requests other than polls.
    package nonisolated let client: FeedClient
    let provider: any Provider
    /// Pages by URL, as long as they are requested.
    private var known: [String: KnownPage] = [:]
    /// The quotes of the last answer.
    private var before: [Quote] = []
    private var refused = RefusedNames()

    private struct KnownPage {
        var validators: Validators
        var page: QuotePage
    }

    /// - Parameter random: from 0 up to, not including, 1; for the jitter.
    package init(
        _ provider: any Provider, _ environment: FeedEnvironment, transport: any HTTPTransport,
        memory: any FeedMemory, retry: RetryPolicy = RetryPolicy(), time: any TimeSource = SystemTime(),
        random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }
    ) {
        name = environment.feed
        self.provider = provider
        client = FeedClient(
            provider, environment, transport: transport, memory: memory, retry: retry, time: time, random: random)
    }

    /// Polls the same provider for other markets: key, cooldowns and request counts are shared.
    package init(beside other: Feed) {
        name = other.name
        provider = other.provider
        client = other.client
    }

    /// The number of pages of a poll, each of which costs one request.
    package nonisolated func pages(for watch: Watch) -> Int { provider.pages(for: watch).count }

    /// Requests sent in this month.
    package func requests(in month: UTCMonth) async -> Int { await client.requests(in: month) }

    /// The cooldown in force, and its end.
    package func cooldownInForce(_ scope: CooldownScope = .all) async -> (StoredCooldown, until: Date)? {
        await client.cooldownInForce(scope, at: client.time.now())
    }

    /// The cooldown that a poll would meet, and the requests sent in the month of `now` (UTC).
    package func status(at now: Date) async -> (cooldown: FeedCooldown?, requestsThisMonth: Int) {
        let cooldown = await client.cooldownInForce(.all, at: now).map { wait, until in
            FeedCooldown(until: until, isBlock: wait.isBlock)
        }
        return (cooldown, await client.requests(in: UTCMonth(now)))
    }

    /// One poll, within `limit`. Throws only when the task is cancelled.
    package func poll(
        _ watch: Watch, within limit: Duration, respecting scope: CooldownScope = .all
    ) async throws(CancellationError) -> PollResult {
        let log = ExchangeLog()
        let outcome = try await outcome(of: watch, within: limit, respecting: scope, log)
        var result = PollResult(feed: name, outcome)
        result.requests = log.requests
        result.retries = log.retries
        (result.cooldown, result.requestsThisMonth) = await status(at: client.time.now())
        return result
    }

    private func outcome(
        of watch: Watch, within limit: Duration, respecting scope: CooldownScope, _ log: ExchangeLog
    ) async throws(CancellationError) -> PollResult.Outcome {
        let time = client.time
        let end = time.uptime() + limit
        if let (_, until) = await cooldownInForce(scope) { return .waiting(until: until) }
        var pages = provider.pages(for: refused.removed(from: watch, at: time.now()))
        var merge = PageMerge(watch)
        var failuresInARow = 0
        var index = 0
        while index < pages.count {
            let page = pages[index]
            defer { index += 1 }
            do {
                let loaded = try await load(page, until: end, log)
                merge.add(loaded, page.content)
                failuresInARow = 0
            } catch {
                if Task.isCancelled { throw CancellationError() }
                if provider.refusesUnknownNames, error.kind == .notFound || error.kind == .badRequest {
                    let halves = refused.halves(of: page.content, in: watch, at: time.now())
                    if !halves.isEmpty {
                        pages.insert(contentsOf: halves.flatMap(provider.pages), at: index + 1)
                        continue
                    }
                }
                merge.fail(page.content, error)
                // A fault of the feed affects the next page, too; two failed pages in a row count as such a fault,
                // unless the ids in them are refused.
                if !page.content.isRefused(by: error) { failuresInARow += 1 }
                if error.scope == .feed || failuresInARow > 1 {
                    for rest in pages[(index + 1)...] { merge.fail(rest.content, error) }
                    break
                }
            }
        }
        let urls = Set(pages.map(url))
        known = known.filter { urls.contains($0.key) }
        let outcome = merge.outcome()
        if case .answered(let answer) = outcome { before = answer.quotes }
        return outcome
    }

    private func load(
        _ page: PageRequest, until end: Duration, _ log: ExchangeLog
    ) async throws(FeedError) -> PageMerge.Page {
        let url = url(page)
        let loaded = try await client.load(page.request, validators: known[url]?.validators, until: end, log)
        var rows = known[url]?.page ?? QuotePage(rows: [])
        if case .fresh(let fresh, _) = loaded.content {
            rows = fresh
            known[url] = nil
            if let reason = fresh.schemaDrift(since: before) {
                throw await client.failure(of: page.request, .decode, "the answer \(reason): its format has changed")
            }
            known[url] = Validators(loaded.headers).map { KnownPage(validators: $0, page: fresh) }
        }
        return PageMerge.Page(
            rows: rows.rows, isUnchanged: loaded.isUnchanged, at: loaded.at, serverDate: loaded.headers.date,
            maxAge: loaded.headers.maxAge)
    }

    private nonisolated func url(_ page: PageRequest) -> String {
        page.request.url(below: client.environment.baseURL, key: nil)
    }
}

// MARK: Past prices

extension Feed {
    /// Whether the provider offers past prices.
    package nonisolated var offersPast: Bool { provider is any PastProvider }

    /// The request for the newest part of a range; nil if the provider has no prices of it.
    package nonisolated func pastPage(
        of entry: Watch.Entry, in currency: Currency, _ stretch: Range<Date>, now: Date
    ) -> PastPage? {
        (provider as? any PastProvider)?.pastPage(of: entry, in: currency, stretch, now: now)
    }

    /// Requests past prices, with the counting and retries of a poll; sends nothing during a cooldown.
    ///
    /// - Returns: in any order; may include prices outside the requested range.
    package nonisolated func past(_ page: PastPage, within limit: Duration) async throws(FeedError) -> [PastQuote] {
        try await client.send(page.request, within: limit)
    }
}

/// Names for which a provider refuses whole requests. They are found by bisection, and left out for a day.
struct RefusedNames {
    /// Expires, since a symbol may be listed later.
    static let memory = Duration.hours(24)

    private var since: [String: Date] = [:]

    func removed(from watch: Watch, at now: Date) -> Watch {
        guard !since.isEmpty else { return watch }
        var watch = watch
        let all = watch.entries
        watch.entries.removeAll { entry in
            since[entry.providerID].map { (.zero...Self.memory).contains(now.since($0)) } ?? false
        }
        // If no other market is left, ask again rather than trust the memory.
        if watch.entries.isEmpty, watch.top == 0 { watch.entries = all }
        return watch
    }

    /// The two halves of a refused page; empty if it named one market, which is then remembered as refused.
    mutating func halves(of content: PageRequest.Content, in watch: Watch, at now: Date) -> [Watch] {
        guard case .named(let markets) = content else { return [] }
        let asked = Set(markets)
        let entries = watch.entries.filter { asked.contains($0.market) }
        guard entries.count > 1 else {
            if let entry = entries.first { since[entry.providerID] = now }
            return []
        }
        let middle = entries.count / 2
        return [entries[..<middle], entries[middle...]].map { Watch(Array($0), currency: watch.currency) }
    }
}
