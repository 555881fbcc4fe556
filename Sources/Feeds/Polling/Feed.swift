import Foundation
import HTTP
import Markets

/// Polls a provider for a watchlist, and keeps the decoded pages for 304 answers.
package actor Feed {
    /// Sends the requests; two feeds with the same client share key, cooldowns and request counts.
    package nonisolated let client: FeedClient
    /// Pages by URL, as long as they are requested.
    private var known: [String: (validators: Validators, rows: [QuoteRow])] = [:]
    /// The quotes of the last answer.
    private var before: [Quote] = []
    private var refused = RefusedNames()

    package init(_ client: FeedClient) { self.client = client }

    package nonisolated var name: String { client.environment.feed }
    private nonisolated var provider: any Provider { client.provider }

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
        var log = ExchangeLog()
        var result = PollResult(
            feed: name, try await outcome(of: watch, within: limit, respecting: scope, &log))
        result.requests = log.requests
        result.retries = log.retries
        (result.cooldown, result.requestsThisMonth) = await status(at: client.time.now())
        return result
    }

    private func outcome(
        of watch: Watch, within limit: Duration, respecting scope: CooldownScope, _ log: inout ExchangeLog
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
            index += 1
            do {
                let (rows, loaded) = try await load(page, until: end, &log)
                merge.add(rows, loaded, page.content)
                failuresInARow = 0
            } catch {
                if Task.isCancelled { throw CancellationError() }
                if provider.refusesUnknownNames, error.kind == .notFound || error.kind == .badRequest {
                    let halves = refused.halves(of: page.content, at: time.now())
                    let pagesOfHalves = halves.flatMap { provider.pages(for: Watch($0, currency: watch.currency)) }
                    pages.insert(contentsOf: pagesOfHalves, at: index)
                    if !halves.isEmpty { continue }
                }
                merge.fail(page.content, error)
                // A fault of the feed affects the next page, too; two failed pages in a row count as such a fault,
                // unless the ids in them are refused.
                if !page.content.isRefused(by: error) { failuresInARow += 1 }
                if error.scope == .feed || failuresInARow > 1 {
                    for rest in pages[index...] { merge.fail(rest.content, error) }
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

    /// The rows of an unchanged page are those of the answer before.
    private func load(
        _ page: PageRequest, until end: Duration, _ log: inout ExchangeLog
    ) async throws(FeedError) -> ([QuoteRow], Loaded<[QuoteRow]>) {
        let url = url(page)
        let loaded = try await client.load(page.request, validators: known[url]?.validators, until: end, &log)
        let rows = loaded.value ?? known[url]?.rows ?? []
        if loaded.value != nil {
            known[url] = nil
            if let reason = rows.schemaDrift(since: before) {
                let error = FeedError(.decode, "the answer \(reason): its format has changed", scope: .request)
                throw await client.classification(of: page.request).located(error)
            }
            known[url] = Validators(loaded.headers).map { ($0, rows) }
        }
        return (rows, loaded)
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

/// Names for which a provider refuses whole requests. They are found by bisection, and left out for a day, since a
/// symbol may be listed later.
private struct RefusedNames {
    private static let memory = Duration.hours(24)

    private var since: [String: Date] = [:]

    func removed(from watch: Watch, at now: Date) -> Watch {
        guard !since.isEmpty else { return watch }
        var others = watch
        others.entries.removeAll { entry in
            since[entry.providerID].map { (.zero...Self.memory).contains(now.since($0)) } ?? false
        }
        // If no other market is left, ask again rather than trust the memory.
        return others.isEmpty ? watch : others
    }

    /// The two halves of a refused page; empty if it named one market, which is then remembered as refused.
    mutating func halves(of content: PageRequest.Content, at now: Date) -> [[Watch.Entry]] {
        guard case .named(let entries) = content, let first = entries.first else { return [] }
        guard entries.count > 1 else {
            since[first.providerID] = now
            return []
        }
        let middle = entries.count / 2
        return [Array(entries[..<middle]), Array(entries[middle...])]
    }
}
