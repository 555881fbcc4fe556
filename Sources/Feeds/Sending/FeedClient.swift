import Foundation
import HTTP
import Markets

/// Sends the requests of one feed: adds key and validators, counts requests, retries, respects cooldowns, and turns
/// every failure into a `FeedError`.
package actor FeedClient {
    package nonisolated let environment: FeedEnvironment
    private let provider: any Provider
    private let transport: any HTTPTransport
    private let memory: any FeedMemory
    private let retry: RetryPolicy
    let time: any TimeSource
    private let random: @Sendable () -> Double
    private var key: Secret? {
        didSet { redaction = environment.redaction(key: key, provider.headers(with: key)) }
    }
    private var redaction: Redaction

    /// - Parameter random: from 0 up to, not including, 1; for the jitter.
    package init(
        _ provider: any Provider, _ environment: FeedEnvironment, transport: any HTTPTransport,
        memory: any FeedMemory, retry: RetryPolicy = RetryPolicy(), time: any TimeSource = SystemTime(),
        random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }
    ) {
        self.provider = provider
        self.environment = environment
        self.transport = transport
        self.memory = memory
        self.retry = retry
        self.time = time
        self.random = random
        key = environment.key
        redaction = environment.redaction(key: environment.key, provider.headers(with: environment.key))
    }

    /// Sends a request by its cache policy, with retries, within `limit`.
    package func send<Response>(
        _ request: some FeedRequest<Response>, within limit: Duration, respecting scope: CooldownScope = .all
    ) async throws(FeedError) -> Response {
        let query = QueryText.encoded(request.query)
        let name = environment.place(of: request.path) + (query.isEmpty ? "" : "?" + query)
        let feed = environment.feed
        let stored = request.cachePolicy == .reload ? nil : await memory.storedBody(name, of: feed)
        switch request.cachePolicy {
        case .cachedOnly:
            guard let stored else {
                throw classification(of: request).failure(.empty, "nothing is stored", retryable: false)
            }
            return try read(stored, request)
        case .cachedIfFresh(let age):
            if let stored, time.now().since(stored.confirmedAt) < age, let value = try? read(stored, request) {
                return value
            }
        case .revalidate, .reload: break
        }
        if let (wait, until) = await cooldownInForce(scope, at: time.now()) {
            let classification = classification(of: request)
            var error = classification.failure(wait.cause, "waits until \(until.utcText): \(wait.message)")
            error.notBefore = NotBefore(at: until, isNamed: wait.namedUntil != nil)
            throw error
        }
        // A stored answer that can no longer be decoded is requested again.
        let readable = stored.flatMap { stored in (try? read(stored, request)).map { (stored, $0) } }
        let loaded = try await load(
            request, validators: readable?.0.validators, until: time.uptime() + limit, ExchangeLog())
        switch (loaded.content, readable) {
        case (.notModified, let (stored, value)?):
            await memory.keep(
                StoredBody(body: stored.body, validators: stored.validators, confirmedAt: loaded.at), name, of: feed)
            return value
        case (.fresh(let value, let body), _):
            if case .cachedIfFresh = request.cachePolicy {
                let stored = StoredBody(body: body, validators: Validators(loaded.headers), confirmedAt: loaded.at)
                await memory.keep(stored, name, of: feed)
            }
            return value
        case (.notModified, nil):
            throw classification(of: request).failure(.badStatus, "304 not modified, though nothing was known")
        }
    }

    private func read<Response>(
        _ stored: StoredBody, _ request: some FeedRequest<Response>
    ) throws(FeedError) -> Response {
        do {
            return try request.decode(stored.body)
        } catch {
            throw classification(of: request).failure(.decode, "the stored answer \(error.reason)", retryable: false)
        }
    }
}

// MARK: One request and its retries

extension FeedClient {
    /// Sends a request until it succeeds, or the retry policy stops.
    ///
    /// - Parameter end: the limit, in `uptime`.
    func load<Response>(
        _ request: some FeedRequest<Response>, validators: Validators?, until end: Duration, _ log: ExchangeLog
    ) async throws(FeedError) -> Loaded<Response> {
        var validators = validators
        var attempt = 1
        var keyWasReread = false
        while true {
            let remaining = end - time.uptime()
            guard remaining > .zero else {
                throw classification(of: request).failure(.timeout, "the poll's time ran out before it was asked")
            }
            var error: FeedError
            let wait = await recalledCooldown()
            do {
                let loaded = try await sendOnce(request, validators, within: min(environment.timeout, remaining), log)
                await forget(wait)
                return loaded
            } catch let failed {
                error = failed
            }
            if Task.isCancelled { throw error }
            if error.status == 304 { validators = nil }
            if error.refusesKey, !keyWasReread {
                keyWasReread = true
                if await rereadKey() { continue }
            }
            error = await remember(error)
            switch retry.decide(
                after: attempt, error, remaining: end - time.uptime(), now: time.now(), random: random())
            {
            case .stop: throw error
            case .retry(let delay):
                log.addRetry(PollResult.Retry(attempt: attempt, delay: delay, error: error.poll))
                do { try await time.sleep(for: delay) } catch {
                    throw classification(of: request).error(from: .cancelled)
                }
                attempt += 1
            }
        }
    }

    private func sendOnce<Response>(
        _ request: some FeedRequest<Response>, _ validators: Validators?, within limit: Duration, _ log: ExchangeLog
    ) async throws(FeedError) -> Loaded<Response> {
        let classification = classification(of: request)
        let outgoing = try wireRequest(request, validators, classification)
        log.addRequest()
        _ = await memory.countRequest(of: environment.feed, in: UTCMonth(time.now()))
        let answer: HTTPAnswer
        do {
            answer = try await transport.exchange(outgoing, within: limit)
        } catch {
            throw classification.error(from: error)
        }
        let now = time.now()
        if answer.status == 304, let validators, validators.match(answer.headers) {
            return Loaded(content: .notModified, headers: answer.headers, at: now)
        }
        if let error = classification.error(in: answer, now: now) { throw error }
        do {
            let value = try request.decode(answer.body)
            return Loaded(content: .fresh(value, body: answer.body), headers: answer.headers, at: now)
        } catch {
            var failed = classification.failure(
                .decode, "the answer \(reason(error, of: answer, request))", retryable: error.isRetryable,
                scope: .request)
            failed.status = answer.status
            throw failed
        }
    }

    /// Why the body cannot be read, without quoting what we sent.
    private func reason(_ error: UnreadableBody, of answer: HTTPAnswer, _ request: some FeedRequest) -> String {
        do {
            _ = try request.decode(redaction.apply(to: answer.body))
            return "cannot be read"
        } catch {
            return error.reason
        }
    }

    private func wireRequest(
        _ request: some FeedRequest, _ validators: Validators?, _ classification: Classification
    ) throws(FeedError) -> WireRequest {
        var headers = HTTPFields(request.headers)
        for header in provider.headers(with: key) { headers.append(header.name, header.value) }
        if headers["Accept"] == nil { headers.append("Accept", request.acceptedContent.acceptHeader) }
        if headers["User-Agent"] == nil { headers.append("User-Agent", environment.userAgent) }
        for header in validators?.headers ?? [] { headers.append(header.name, header.value) }
        if request.cachePolicy == .reload { headers.append("Cache-Control", "no-cache") }
        var body: Data?
        if let content = request.body {
            headers.append("Content-Type", content.contentType)
            do {
                body = try content.encoded()
            } catch {
                throw classification.failure(.badRequest, "the body cannot be encoded", retryable: false)
            }
        }
        return WireRequest(
            method: request.method, url: request.url(below: environment.baseURL, key: key),
            headers: headers, body: body, bodyLimit: request.bodyLimit)
    }

    /// For errors found after decoding.
    func failure(of request: some FeedRequest, _ kind: FeedError.Kind, _ cause: String) -> FeedError {
        classification(of: request).failure(kind, cause, retryable: false, scope: .request)
    }

    private func classification(of request: some FeedRequest) -> Classification {
        Classification(
            operation: request.method.rawValue.lowercased() + " " + environment.place(of: request.path),
            acceptedStatus: request.acceptedStatus, acceptedContent: request.acceptedContent,
            codes: provider.errorCodes, statuses: provider.errorStatuses, texts: provider.errorTexts,
            redaction: redaction)
    }
}

// MARK: Cooldowns and the key

extension FeedClient {
    /// The cooldown in force at `now`, and its end.
    func cooldownInForce(_ scope: CooldownScope, at now: Date) async -> (StoredCooldown, until: Date)? {
        guard let wait = await recalledCooldown() else { return nil }
        // A corrected key ends the block without a restart.
        if wait.isBlock, wait.mark == mark { _ = await rereadKey() }
        return wait.end(now, scope, mark: mark).map { (wait, $0) }
    }

    /// Read each time: a command beside the daemon may have stored a cooldown.
    func recalledCooldown() async -> StoredCooldown? { await memory.wait(of: environment.feed) }

    func requests(in month: UTCMonth) async -> Int {
        await memory.requests(of: environment.feed, in: month)
    }

    /// Stores the cooldown first: a restart during a pause must not send too early. Returns the error with the
    /// resulting time.
    private func remember(_ error: FeedError) async -> FeedError {
        let now = time.now()
        guard let next = StoredCooldown.after(error, previous: await recalledCooldown(), now: now, mark: mark) else {
            return error
        }
        await memory.keep(next, of: environment.feed)
        var error = error
        if next.cause == .quota, error.kind != .quota {
            error.kind = .quota
            error.cause += "; it lasts, so the month's quota is taken for exhausted"
        }
        let at = max(next.until, next.namedUntil ?? next.until)
        error.notBefore = NotBefore(at: at, isNamed: next.namedUntil == at)
        return error
    }

    /// A success ends the cooldown that existed when the request was sent, but not one that a concurrent request
    /// received meanwhile.
    private func forget(_ wait: StoredCooldown?) async {
        guard let wait, await recalledCooldown() == wait else { return }
        await memory.keep(nil, of: environment.feed)
    }

    /// True if the key changed.
    private func rereadKey() async -> Bool {
        guard let reread = environment.rereadKey, let fresh = await reread(), fresh != key else { return false }
        key = fresh
        return true
    }

    private var mark: UInt32 { environment.mark(key: key, provider.headers(with: key)) }
}

extension FeedError {
    fileprivate var refusesKey: Bool {
        scope == .feed && (status == 401 || status == 403 || kind == .unauthorized || kind == .forbidden)
    }
}
