import Foundation
import Markets

/// One feed: polls a provider for a watchlist, and remembers what an unchanged answer stands for.
public actor Feed {
    public nonisolated let name: String
    /// For requests other than polls.
    public nonisolated let client: FeedClient
    let provider: any Provider
    private var events = EventBroadcast()
    public private(set) var state = LoadState.idle
    /// Pages by URL, as long as they are asked for.
    private var known: [String: KnownPage] = [:]
    /// The quotes of the last answer.
    private var before: [Quote] = []
    private var refused = RefusedNames()

    private struct KnownPage {
        var validators: Validators
        var page: QuotePage
    }

    /// - Parameter random: from 0 up to, not including, 1; for the jitter.
    public init(
        _ provider: any Provider, _ environment: FeedEnvironment, transport: any HTTPTransport,
        memory: any FeedMemory, retry: RetryPolicy = RetryPolicy(), time: any TimeSource = SystemTime(),
        random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }
    ) {
        name = environment.feed
        self.provider = provider
        client = FeedClient(
            provider, environment, transport: transport, memory: memory, retry: retry, time: time, random: random)
    }

    /// Asks the same provider for other markets, in polls of their own: key, waits and counted requests are shared.
    public init(beside other: Feed) {
        name = other.name
        provider = other.provider
        client = other.client
    }

    /// Pages of a poll, which are the requests it costs.
    public nonisolated func pages(for watch: Watch) -> Int { provider.pages(for: watch).count }

    /// Requests sent in that month.
    public func requests(in month: UTCMonth) async -> Int { await client.requests(in: month) }

    /// The wait that holds now, and until when.
    public func waitInForce(_ obedience: WaitObedience = .all) async -> (FeedWait, until: Date)? {
        await client.waitInForce(obedience)
    }

    /// One poll, within `limit`. Throws only when the task is cancelled.
    public func poll(
        _ watch: Watch, within limit: Duration, obeying obedience: WaitObedience = .all
    ) async throws(CancellationError) -> PollReport {
        let time = client.time
        let end = time.uptime() + limit
        if let (wait, until) = await client.waitInForce(obedience) {
            events.send(.waiting(wait, until: until))
            return PollReport(outcome: .waiting(wait, until: until), requests: 0, wait: wait)
        }
        enter(.loading(since: time.now()))
        let tally = RequestTally()
        var pages = provider.pages(for: refused.removed(from: watch, at: time.now()))
        var merge = PageMerge(watch)
        var failuresInARow = 0
        var index = 0
        while index < pages.count {
            let page = pages[index]
            defer { index += 1 }
            do {
                let loaded = try await load(page, until: end, tally)
                merge.add(loaded, page.content)
                failuresInARow = 0
            } catch {
                if Task.isCancelled {
                    enter(.idle)
                    throw CancellationError()
                }
                if provider.refusesUnknownNames, error.kind == .notFound || error.kind == .badRequest {
                    let halves = refused.halves(of: page.content, in: watch, at: time.now())
                    if !halves.isEmpty {
                        pages.insert(contentsOf: halves.flatMap(provider.pages), at: index + 1)
                        continue
                    }
                }
                merge.fail(page.content, error)
                // What ails the feed, ails its next page; two pages in a row tell the same, unless it is their ids.
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
        switch outcome {
        case .answered(let answer):
            before = answer.quotes
            enter(.loaded(answer))
        case .failed(let error): enter(.failed(error))
        case .waiting: break
        }
        return PollReport(outcome: outcome, requests: tally.requests, wait: await client.recalledWait())
    }

    private func load(
        _ page: PageRequest, until end: Duration, _ tally: RequestTally
    ) async throws(FeedError) -> PageMerge.Page {
        let url = url(page)
        let loaded = try await client.load(page.request, validators: known[url]?.validators, until: end, tally) {
            [weak self, name] attempt, delay, error in
            await self?.announce(.init(feed: name, attempt: attempt, delay: delay, error: error))
        }
        var rows = known[url]?.page ?? QuotePage(rows: [])
        if case .fresh(let fresh, _) = loaded.content {
            rows = fresh
            known[url] = nil
            if let reason = SchemaDrift.reason(in: fresh.rows, before: before) {
                throw await client.failure(of: page.request, .decode, "the answer \(reason): its format has changed")
            }
            known[url] = Validators(loaded.headers).map { KnownPage(validators: $0, page: fresh) }
        }
        return PageMerge.Page(
            rows: rows.rows, isUnchanged: loaded.isUnchanged, at: loaded.at, serverDate: loaded.serverDate,
            maxAge: loaded.maxAge)
    }

    private nonisolated func url(_ page: PageRequest) -> String {
        page.request.url(below: client.environment.baseURL, key: nil)
    }
}

// MARK: Events

extension Feed {
    /// Everything that happens from now on. Each caller has its own sequence; one that is read too slowly loses
    /// the oldest events.
    public func pollEvents() -> AsyncStream<PollEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: PollEvent.self, bufferingPolicy: .bufferingNewest(256))
        let id = events.add(continuation)
        continuation.onTermination = { [weak self] _ in Task { await self?.forget(listener: id) } }
        return stream
    }

    /// Ends all event sequences.
    public func finish() { events.finish() }

    private func forget(listener id: Int) { events.remove(id) }

    private func announce(_ retry: PollEvent.Retry) { events.send(.retry(retry)) }

    private func enter(_ next: LoadState) {
        state = next
        events.send(.state(next))
    }
}
