import Foundation
import Markets
import Testing

@testable import Engine

/// An engine with simulated feeds and channels, a history in memory, and a clock that is stepped by hand. Work ends at
/// once unless the test lets it hang.
struct EngineScene {
    private(set) var settings: Settings
    private(set) var engine: Engine
    var now = Moment(wall: moment(), uptime: .seconds(5000), awake: .seconds(4000))
    /// One for each poll of a feed; the last one goes on.
    var replies: [String: [Reply]] = [:]
    /// One for each delivery to a channel; afterwards `outcome` decides.
    var outcomes: [String: [Outcome]] = [:]
    var outcome: @Sendable (DeliveryRequest, Moment) -> Outcome = { _, _ in .ends(.delivered) }
    /// One for each post of states, with an outcome for each address. Afterwards one address takes all.
    var answers: [[StateAnswers.Outcome]] = []
    /// Posts of states do not end.
    var postsHang = false
    /// One for each heartbeat: why it was not answered, nil where it was. Afterwards all are answered.
    var heartbeatFaults: [String?] = []
    /// Why nothing can be written; nil where it can.
    var fault: String?
    /// What is known of a gap when it is asked for.
    var gap = GapReading()
    private(set) var memory = MemoryHistory()

    private(set) var requests: [PollRequest] = []
    private(set) var log: [LogLine] = []
    /// All that were asked for, written or not.
    private(set) var commits: [Commit] = []
    private(set) var statuses: [StatusReport] = []
    /// Deliveries that were started.
    private(set) var attempts: [Sent] = []
    /// Requests to time-series engines; none ends by itself.
    private(set) var exports: [ExportRequest] = []
    private(set) var delivered: [Sent] = []
    /// Deliveries under way at the same time.
    private(set) var mostAtOnce = 0
    /// States whose post was started.
    private(set) var posts: [StatePost] = []
    private(set) var heartbeats: [Date] = []
    private(set) var prunings: [Date] = []
    private(set) var backfills: [Date] = []
    private(set) var nextWake: Duration?
    private(set) var isOver = false
    /// Deliveries that do not end by themselves.
    private(set) var hanging: [DeliveryRequest] = []
    private var unanswered: [PollRequest] = []
    private var started: [DeliveryRequest] = []
    private var posting: [StatePost] = []

    struct Sent: Sendable {
        var message: QueuedMessage
        var contents: OutgoingMessage.Contents
        var at: Date
    }

    /// What a feed makes of a poll.
    typealias Reply = @Sendable (PollRequest, Moment) -> PollResult

    enum Outcome: Sendable {
        case ends(Delivery.Outcome)
        case hangs

        static let fails = Outcome.fails()
        static func fails(retryAfter: Duration? = nil) -> Outcome {
            .ends(.failed(cause: "it is down", retryAfter: retryAfter))
        }
        static let refuses = Outcome.ends(.refused(cause: "404"))
    }

    init(_ settings: Settings, feeds: [String: [Reply]] = [:], remembering memory: MemoryHistory = MemoryHistory()) {
        self.settings = settings
        self.memory = memory
        replies = feeds
        engine = Engine(settings, remembering: memory.remembered(settings, at: now.wall), at: now)
    }
}

// MARK: Inputs

extension EngineScene {
    /// One step, as the daemon performs it; nothing of what it starts has ended.
    @discardableResult
    mutating func take(_ input: Input) -> Plan {
        var plan = engine.step(input, at: now)
        if let commit = plan.commit {
            commits.append(commit)
            if fault == nil { memory.write(commit) }
            engine.settle(memory.result(of: commit, fault: fault), of: &plan)
        }
        log += plan.log
        if plan.publish != nil { statuses.append(engine.status(at: now)) }
        unanswered += plan.polls
        requests += plan.polls
        for request in plan.deliveries { start(request) }
        exports += plan.exports
        posts += plan.states
        posting += plan.states
        if plan.sendsHeartbeat { heartbeats.append(now.wall) }
        if plan.prunes { prunings.append(now.wall) }
        if plan.backfill != nil { backfills.append(now.wall) }
        nextWake = plan.nextWake
        isOver = plan.isOver
        if plan.readGap != nil { take(.gapRead(gap)) }
        return plan
    }

    private mutating func start(_ request: DeliveryRequest) {
        started.append(request)
        mostAtOnce = max(mostAtOnce, started.count + hanging.count)
        if let contents = memory.contents(of: request) {
            attempts.append(Sent(message: request.message, contents: contents, at: now.wall))
        }
    }

    /// Wakes the engine, and ends what it starts.
    mutating func wake() {
        take(.woke)
        work()
    }

    /// Ends what is under way, until nothing is but what hangs.
    mutating func work() {
        while true {
            if let request = unanswered.first {
                unanswered.removeFirst()
                guard let reply = nextReply(of: request.feed) else { continue }
                take(.answered(request.source, reply(request, now)))
            } else if let request = started.first {
                started.removeFirst()
                end(request)
            } else if !postsHang, let post = posting.first {
                posting.removeFirst()
                let outcomes = answers.isEmpty ? [.taken] : answers.removeFirst()
                let addresses = zip(1..., outcomes).map { StateAnswers.Address(host: "am-\($0):9093", $1) }
                take(.stated(StateAnswers(channel: post.channel, addresses: addresses)))
            } else {
                break
            }
        }
        if engine.chores.isHeartbeatRunning {
            take(.heartbeat(fault: heartbeatFaults.isEmpty ? nil : heartbeatFaults.removeFirst()))
        }
        if engine.chores.isPruning { take(.pruned(isStillTooLarge: false)) }
        if engine.chores.isBackfilling { take(.backfilled(nil)) }
    }

    private mutating func nextReply(of feed: String) -> Reply? {
        guard let reply = replies[feed]?.first else { return nil }
        if replies[feed]?.count ?? 0 > 1 { replies[feed]?.removeFirst() }
        return reply
    }

    private mutating func end(_ request: DeliveryRequest) {
        let channel = request.message.channel
        let outcome = outcomes[channel]?.first ?? outcome(request, now)
        if outcomes[channel]?.isEmpty == false { outcomes[channel]?.removeFirst() }
        switch outcome {
        case .ends(let ending): end(request, ending)
        case .hangs: hanging.append(request)
        }
    }

    mutating func end(_ request: DeliveryRequest, _ outcome: Delivery.Outcome) {
        hanging.removeAll { $0.message.id == request.message.id }
        guard let contents = memory.contents(of: request) else {
            take(.delivered(Delivery(of: request.message, .lost)))
            return
        }
        if outcome == .delivered {
            delivered.append(Sent(message: request.message, contents: contents, at: now.wall))
        }
        take(.delivered(Delivery(of: request.message, outcome, answer: outcome == .delivered ? "ok" : nil)))
    }
}

// MARK: Time

extension EngineScene {
    /// Time passes, and nothing is done.
    mutating func step(_ duration: Duration) {
        now = Moment(wall: now.wall + duration, uptime: now.uptime + duration, awake: now.awake + duration)
    }

    /// Sets the wall clock forward or (below zero) back.
    mutating func set(by step: Duration) { now.wall = now.wall + step }

    /// Nothing runs meanwhile.
    mutating func sleep(_ duration: Duration) {
        now = Moment(wall: now.wall + duration, uptime: now.uptime + duration, awake: now.awake)
    }

    /// Time passes without a poll; deliveries that fall due meanwhile come at its end.
    mutating func pass(_ duration: Duration) {
        step(duration)
        // Any input that starts no cycle.
        take(.pruned(isStillTooLarge: engine.chores.isStillTooLarge))
        work()
    }

    /// Time passes, and the engine is woken whenever it asked for it.
    mutating func run(for duration: Duration) {
        let end = now.uptime + duration
        var wakesInVain = 0
        while let next = nextWake, next <= end {
            wakesInVain = next <= now.uptime ? wakesInVain + 1 : 0
            guard wakesInVain < 3 else {
                Issue.record("the engine asks to be woken at \(next) and does nothing, at \(now)")
                break
            }
            step(max(.zero, next - now.uptime))
            wake()
        }
        step(max(.zero, end - now.uptime))
    }

    /// Wakes it so often, an interval of the configuration apart.
    mutating func poll(_ count: Int = 1) {
        for _ in 0..<count {
            wake()
            step(settings.every)
        }
    }
}

// MARK: Restart and reload

extension EngineScene {
    /// Ends the daemon, and starts another one on the same history.
    mutating func restart(_ next: Settings? = nil) {
        settings = next ?? settings
        (unanswered, started, hanging, posting, nextWake, isOver) = ([], [], [], [], nil, false)
        engine = Engine(settings, remembering: memory.remembered(settings, at: now.wall), at: now)
    }

    /// The daemon is killed when the commit of this input is written, before the log has it; another one starts.
    mutating func crash(taking input: Input) {
        if let commit = engine.step(input, at: now).commit { memory.write(commit) }
        restart()
    }

    /// Another process writes to the history.
    mutating func write(_ commit: Commit) { memory.write(commit) }

    /// - Parameter keepingWindows: The history knows of the past what the rules' windows know.
    mutating func reload(_ next: Settings? = nil, keepingWindows: Bool = false) {
        settings = next ?? settings
        var remembered = memory.remembered(settings, at: now.wall)
        if keepingWindows { remembered.alerts = engine.alerts.withStates(memory.alerts, memory.silences) }
        take(.reload(settings, remembered))
        work()
    }

    /// A command beside the daemon puts these silences in the place of those that stand.
    mutating func silence(_ silences: [Silence]) {
        memory.silences = silences
        var change = OutsideChange()
        change.silences = silences
        take(.changedOutside(change))
    }

    /// Forgets what has come of it so far.
    mutating func forget() {
        (requests, log, commits, statuses, attempts, delivered, exports) = ([], [], [], [], [], [], [])
        (posts, heartbeats, prunings, backfills) = ([], [], [], [])
    }

    mutating func forgetStatuses() { statuses = [] }
}

extension AlertBook {
    /// A book that knows only its windows.
    fileprivate func withStates(_ states: [AlertKey: Alert], _ silences: [Silence]) -> AlertBook {
        var book = self
        (book.orphaned, book.remembered) = ([:], states)
        book.alerts = Array(repeating: [:], count: book.rules.count)
        book.silences = silences
        for index in book.scopes.indices { book.scopes[index].isOver = false }
        return book
    }
}

// MARK: What came of it

extension EngineScene {
    var status: StatusReport { engine.status(at: now) }

    /// The lines about this event, without the event.
    func log(_ event: String) -> [String] { log.filter { $0.event == event }.map { "\($0.fields)" } }

    /// All events of the log, in order.
    var events: [String] { log.map(\.event) }

    /// Announcements, in the order of the log.
    var announced: [String] { log.map(\.event).filter { $0.hasPrefix("alert.") }.map { String($0.dropFirst(6)) } }
}

extension EngineScene.Sent {
    /// `high firing`, a message of several events with commas; a note with its kind first.
    var words: String {
        let events = contents.events.map { "\($0.rule) \($0.kind.rawValue)" }
        return ([contents.note?.kind.rawValue].compactMap { $0 } + events).joined(separator: ", ")
    }
}

// MARK: Answers

/// All markets that were asked for by name, and ranked ones, have this price, quoted now.
func gives(_ text: String) -> EngineScene.Reply { gives { _ in text } }

/// Markets without a price are not answered.
func gives(
    ranking: [String] = [], _ priceOf: @escaping @Sendable (MarketID) -> String?
) -> EngineScene.Reply {
    { request, now in
        let named = request.watch.entries.map(\.market)
        var answer = Answer(fetchedAt: now.wall)
        answer.ranking = ranking.prefix(request.watch.top).map(market)
        for market in named + answer.ranking.filter({ !named.contains($0) }) {
            guard let text = priceOf(market) else {
                answer.missing.append(market)
                continue
            }
            answer.quotes.append(quote(market.text, text, at: now.wall))
        }
        return result(request, .answered(answer))
    }
}

func fails(_ kind: PollError.Kind = .server, requests: Int = 1) -> EngineScene.Reply {
    { request, now in
        var result = result(
            request, .failed(PollError(kind, message: "poll \(request.feed): \(kind.rawValue)", isRetryable: true)))
        result.requests = requests
        return result
    }
}

/// Refused, and not to be asked before.
func refuses(_ kind: PollError.Kind = .rateLimited, for duration: Duration, isBlock: Bool = false) -> EngineScene.Reply
{
    { request, now in
        let until = now.wall + duration
        var result = result(
            request,
            .failed(
                PollError(kind, message: "poll \(request.feed): \(kind.rawValue)", isRetryable: false, retryAt: until)))
        result.cooldown = FeedCooldown(until: until, isBlock: isBlock)
        return result
    }
}

func waits(until moment: Date, isBlock: Bool = false) -> EngineScene.Reply {
    { request, _ in
        var result = result(request, .waiting(until: moment))
        result.requests = 0
        result.cooldown = FeedCooldown(until: moment, isBlock: isBlock)
        return result
    }
}

private func result(_ request: PollRequest, _ outcome: PollResult.Outcome) -> PollResult {
    var result = PollResult(feed: request.feed, outcome)
    result.requests = 1
    return result
}

// MARK: Settings

extension QuietHours {
    init?(_ texts: String...) {
        let times = texts.compactMap(QuietHours.Times.init)
        guard times.count == texts.count else { return nil }
        self.init(times)
    }
}

extension Settings {
    /// - Parameters:
    ///   - markets: asked of the shared source.
    ///   - feeds: of the shared source, in order of preference.
    ///   - own: sources of their own: the feed, and the markets that are asked of it.
    static func test(
        _ markets: [String] = ["bitcoin"], top: Int = 0, feeds: [String] = ["a"],
        own: [(feed: String, markets: [String])] = [], every: Duration = .minutes(1), moveLimit: Percent? = nil,
        rules: [AlertRule] = [], channels: [Routing.Channel] = [Routing.Channel(name: "ops")],
        digest: DigestTime? = nil,
        digestTo: [String] = [], backfill: Duration? = nil, heartbeat: Duration? = nil, maxSize: Int64? = nil,
        once: Duration? = nil
    ) -> Settings {
        let staleness = Staleness(after: .minutes(15), followsInterval: true)
        func items(_ markets: [String], _ source: SourceID) -> [Watchlist.Item] {
            markets.map {
                Watchlist.Item(market: market($0), staleness: staleness, moveLimit: moveLimit, source: source)
            }
        }
        func source(_ id: SourceID, _ feeds: [String], _ markets: [String], top: Int) -> SourceSettings {
            SourceSettings(
                id: id,
                members: feeds.map {
                    SourceSettings.Member(
                        feed: $0, watch: Watch(markets.map(market), top: top, currency: usd()), names: .ids,
                        every: every)
                }, every: every, limit: .seconds(48))
        }
        return Settings(
            host: "box",
            watchlist: Watchlist(
                named: items(markets, .shared) + own.flatMap { items($0.markets, .own($0.feed)) }, top: top,
                staleness: staleness, moveLimit: moveLimit, currencies: .init(usd())),
            sources: [source(.shared, feeds, markets, top: top)]
                + own.map { source(.own($0.feed), [$0.feed], $0.markets, top: 0) },
            feeds: feeds + own.map(\.feed), rules: rules, routing: Routing(channels, rules: rules, digest: digestTo),
            digest: digest, backfill: backfill, heartbeat: heartbeat, maxSize: maxSize, deadline: .seconds(48),
            once: once)
    }
}
