import Foundation
import HTTP
import Markets

/// Sends the requests of one feed: adds key and validators, counts requests, retries, respects cooldowns, and turns
/// every failure into a `FeedError`.
package actor FeedClient {
    package nonisolated let environment: FeedEnvironment
    nonisolated let provider: any Provider
    private let transport: any HTTPTransport
    private let memory: any FeedMemory
    private let retry: RetryPolicy
    let time: any TimeSource
    private let random: @Sendable () -> Double
    private var key: Secret? {
        didSet { redaction = environment.redaction(key: key, provider.headers(with: key)) }
    }
    private var redaction: Redaction
    /// The cooldown as last read or stored.
    private var wait: StoredCooldown?

    /// The maximum size of a decompressed body in bytes; the transfer is cut off there.
    private static let bodyLimit = 8 << 20

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
        let classification = classification(of: request)
        let feed = environment.feed
        let query = request.query.encoded
        let name = environment.place(of: request.path) + (query.isEmpty ? "" : "?" + query)
        let stored = await memory.storedBody(name, of: feed)
        // A stored answer that can no longer be decoded is requested again.
        let known = stored.flatMap { try? request.decode($0.body) }
        switch request.cachePolicy {
        case .cachedOnly:
            guard let known else { throw classification.located(FeedError(.empty, "nothing is stored")) }
            return known
        case .cachedIfFresh(let age):
            if let stored, let known, time.now().since(stored.confirmedAt) < age { return known }
        case .revalidate: break
        }
        if let (wait, until) = await cooldownInForce(scope, at: time.now()) {
            var error = FeedError(wait.cause, "waits until \(until.utcText): \(wait.message)", isRetryable: true)
            error.notBefore = NotBefore(at: until, isNamed: wait.namedUntil != nil)
            throw classification.located(error)
        }
        var log = ExchangeLog()
        let loaded = try await load(
            request, validators: known == nil ? nil : stored?.validators, until: time.uptime() + limit, &log)
        if let value = loaded.value {
            if case .cachedIfFresh = request.cachePolicy {
                let body = StoredBody(
                    body: loaded.body, validators: Validators(loaded.headers), confirmedAt: loaded.at)
                await memory.keep(body, name, of: feed)
            }
            return value
        }
        guard let known, var stored else { throw classification.located(.notModified) }
        stored.confirmedAt = loaded.at
        await memory.keep(stored, name, of: feed)
        return known
    }
}

/// The requests of one poll: their number, and the retries in order.
struct ExchangeLog: Sendable {
    var requests = 0
    var retries: [PollResult.Retry] = []
}

/// A successful answer to a request.
struct Loaded<Response: Sendable>: Sendable {
    /// Nil for a 304: the known answer is still current.
    var value: Response?
    var body: Data
    var headers: HTTPFields
    /// When the answer was complete.
    var at: Date
}

// MARK: One request and its retries

extension FeedClient {
    /// Sends a request until it succeeds, or the retry policy stops.
    ///
    /// - Parameter end: the limit, in `uptime`.
    func load<Response>(
        _ request: some FeedRequest<Response>, validators: Validators?, until end: Duration, _ log: inout ExchangeLog
    ) async throws(FeedError) -> Loaded<Response> {
        var validators = validators
        var attempt = 1
        var keyWasReread = false
        while true {
            let remaining = end - time.uptime()
            guard remaining > .zero else {
                throw classification(of: request).located(
                    FeedError(.timeout, "the poll's time ran out before it was asked", isRetryable: true))
            }
            var error: FeedError
            let wait = wait
            do {
                log.requests += 1
                let loaded = try await sendOnce(request, validators, within: min(environment.timeout, remaining))
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
            let pause = retry.pause(
                after: attempt, error, remaining: end - time.uptime(), now: time.now(), random: random())
            guard let pause else { throw error }
            log.retries.append(PollResult.Retry(attempt: attempt, delay: pause, error: error.poll))
            do { try await time.sleep(for: pause) } catch {
                throw classification(of: request).error(from: .cancelled)
            }
            attempt += 1
        }
    }

    private func sendOnce<Response>(
        _ request: some FeedRequest<Response>, _ validators: Validators?, within limit: Duration
    ) async throws(FeedError) -> Loaded<Response> {
        let classification = classification(of: request)
        _ = await memory.countRequest(of: environment.feed, in: UTCMonth(time.now()))
        let answer: HTTPAnswer
        do {
            answer = try await transport.exchange(wireRequest(request, validators), within: limit)
        } catch {
            throw classification.error(from: error)
        }
        let now = time.now()
        if answer.status == 304, let validators, validators.match(answer.headers) {
            return Loaded(body: answer.body, headers: answer.headers, at: now)
        }
        if let error = classification.error(in: answer, now: now) { throw error }
        do {
            let value = try request.decode(answer.body)
            return Loaded(value: value, body: answer.body, headers: answer.headers, at: now)
        } catch {
            var failed = FeedError(
                .decode, "the answer \(reason(of: answer, request))", isRetryable: error.isRetryable,
                scope: .request)
            failed.status = answer.status
            throw classification.located(failed)
        }
    }

    /// Why the body cannot be read, without quoting what we sent.
    private func reason(of answer: HTTPAnswer, _ request: some FeedRequest) -> String {
        do { _ = try request.decode(redaction.apply(to: answer.body)) } catch { return error.reason }
        return "cannot be read"
    }

    private func wireRequest(_ request: some FeedRequest, _ validators: Validators?) -> WireRequest {
        var headers = HTTPFields(provider.headers(with: key))
        if headers["Accept"] == nil { headers.append("Accept", request.acceptedContent.acceptHeader) }
        if headers["User-Agent"] == nil { headers.append("User-Agent", environment.userAgent) }
        if let etag = validators?.etag { headers.append("If-None-Match", etag) }
        if let date = validators?.lastModified { headers.append("If-Modified-Since", date) }
        return WireRequest(
            url: request.url(below: environment.baseURL, key: key), headers: headers,
            bodyLimit: Self.bodyLimit)
    }

    func classification(of request: some FeedRequest) -> Classification {
        Classification(
            operation: "get " + environment.place(of: request.path), acceptedContent: request.acceptedContent,
            providerErrors: provider.errors, redaction: redaction)
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
    private func recalledCooldown() async -> StoredCooldown? {
        wait = await memory.wait(of: environment.feed)
        return wait
    }

    func requests(in month: UTCMonth) async -> Int {
        await memory.requests(of: environment.feed, in: month)
    }

    /// Stores the cooldown first: a restart during a pause must not send too early. Returns the error with the
    /// resulting time.
    private func remember(_ error: FeedError) async -> FeedError {
        let now = time.now()
        let next = StoredCooldown.after(
            error, previous: await recalledCooldown(), now: now, mark: mark, blocked: provider.blocks)
        guard let next else { return error }
        await memory.keep(next, of: environment.feed)
        wait = next
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
        self.wait = nil
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

/// What differs between test, staging and production.
package struct FeedEnvironment: Sendable {
    /// The feed's name in configuration, log and database.
    package var feed: String
    package var baseURL: BaseURL
    /// As the owner configured it, a secret except for scheme and host; nil: the provider's own.
    package var ownURL: Secret?
    package var key: Secret?
    /// Reads the key again, after the provider refused the present one.
    package var rereadKey: (@Sendable () async -> Secret?)?
    /// For example `pricewatch/1.0 (+https://example.org)`.
    package var userAgent: String
    /// The limit of a whole request, from name resolution to the last byte.
    package var timeout: Duration

    package init(feed: String, baseURL: BaseURL, userAgent: String, timeout: Duration = .seconds(20)) {
        self.feed = feed
        self.baseURL = baseURL
        self.userAgent = userAgent
        self.timeout = timeout
    }

    /// The URL for messages, without parts that may be secret.
    func place(of path: String) -> String {
        ownURL == nil ? baseURL.place(of: path) : baseURL.origin + "/…" + path
    }

    /// Hides the secrets of a request. A header's value may hold a secret beside a word such as `Bearer`.
    func redaction(key: Secret?, _ headers: [(name: String, value: String)]) -> Redaction {
        let words = headers.flatMap { [$0.value] + $0.value.split(separator: " ").map(String.init) }
        return Redaction(
            [key?.revealed].compactMap { $0 } + words.filter { $0.utf8.count >= 8 }, url: ownURL?.revealed)
    }

    /// A hash of URL and key, so that a block ends when its cause was edited. The key cannot be derived from 32 bits.
    func mark(key: Secret?, _ headers: [(name: String, value: String)]) -> UInt32 {
        let parts = [ownURL?.revealed ?? baseURL.text, key?.revealed ?? ""] + headers.flatMap { [$0.name, $0.value] }
        return UInt32(StableID.of(parts).prefix(8), radix: 16) ?? 0
    }
}
