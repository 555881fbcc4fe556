import Foundation
import Markets

@testable import Engine

/// What commits have written, as much of it as an engine starts from. As the database, it takes nothing twice.
struct MemoryHistory: Sendable {
    private(set) var polls: [PollRecord] = []
    private(set) var lastCycle: Date?
    private(set) var alerts: [AlertKey: Alert] = [:]
    private(set) var events: [AlertEvent] = []
    private(set) var logged: Set<String> = []
    private(set) var notified: [AlertKey: [String]] = [:]
    private(set) var messages: [QueuedMessage] = []
    private(set) var digest: Date?
    private(set) var exports: [String: StoredExport] = [:]
    private(set) var ranking: [MarketID] = []
    var silences: [Silence] = []
    private var contents: [String: OutgoingMessage.Contents] = [:]

    /// What a message says; nil where nothing is known of it.
    func contents(of request: DeliveryRequest) -> OutgoingMessage.Contents? { request.contents { contents[$0] } }
}

// MARK: Writing

extension MemoryHistory {
    mutating func write(_ commit: Commit) {
        for poll in commit.polls { write(poll) }
        lastCycle = [lastCycle, commit.polls.last?.at, commit.idleCycle?.at].compactMap { $0 }.max()
        alerts.merge(commit.alerts) { _, new in new }
        let known = Set(events.map(\.id))
        let new = commit.events.filter { !known.contains($0.id) }
        events += new
        logged.formUnion(commit.logged)
        for (key, channels) in commit.notified { notified[key] = channels.isEmpty ? nil : channels }
        silences.removeAll { silence in commit.endedSilences.contains { $0.id == silence.id && silence.until <= $0.at }
        }
        digest = commit.digest ?? digest
        exports.merge(commit.exports) { _, new in new }
        for change in commit.outbox { apply(change, newEvents: Set(new.map(\.id))) }
    }

    private mutating func write(_ poll: PollRecord) {
        for move in poll.moves where move.stage == .confirmed {
            for place in polls.indices where polls[place].fetchedAt == move.price.fetchedAt {
                for sample in polls[place].samples.indices where polls[place].samples[sample].market == move.market {
                    polls[place].samples[sample].confirmed = true
                }
            }
        }
        polls.append(poll)
        ranking = poll.ranking ?? ranking
    }

    private mutating func apply(_ change: OutboxChange, newEvents: Set<String>) {
        switch change {
        case .queue(let message):
            let events = message.queued.events
            guard events.isEmpty || events.contains(where: { newEvents.contains($0.id) }),
                contents[message.queued.id] == nil
            else { return }
            messages.append(message.queued)
            contents[message.queued.id] = message.contents
        case .postpone(let message):
            if let place = place(of: message.id) { messages[place] = message }
        case .join(let held, let whole):
            let parts = held.compactMap { contents[$0] }
            guard let place = held.compactMap({ place(of: $0) }).min() else { return }
            messages[place] = whole
            messages.removeAll { held.contains($0.id) && $0.id != whole.id }
            for id in held { contents[id] = nil }
            contents[whole.id] = OutgoingMessage.Contents(
                events: parts.flatMap(\.events), note: parts.lazy.compactMap(\.note).first)
        case .remove(let id):
            messages.removeAll { $0.id == id }
            contents[id] = nil
        }
    }

    private func place(of message: String) -> Int? { messages.firstIndex { $0.id == message } }

    func result(of commit: Commit, fault: String?) -> CommitResult {
        var result = CommitResult(fault: fault, installation: Self.installation, stored: stored)
        result.past = commit.pastNeeded.map { past($0.polled) }
        return result
    }

    private static let installation = "here"

    private var stored: StoredHistory {
        StoredHistory(
            database: "memory", samples: Int64(polls.reduce(0) { $0 + $1.samples.count }), oldestAt: polls.first?.at)
    }

    /// The trusted samples of the polls that began then.
    private func past(_ polled: Range<Date>) -> [PastPrice] {
        polls.filter { polled.contains($0.at) }.flatMap(\.samples).filter(\.confirmed).map {
            PastPrice($0.market, quotedAt: $0.quotedAt, price: $0.price)
        }
    }
}

// MARK: Reading

extension MemoryHistory {
    func remembered(_ settings: Settings, at now: Date) -> Remembered {
        let board = board(settings)
        var sources: [SourceID: Remembered.Polled] = [:]
        for source in settings.sources.map(\.id) {
            let polls = polls.filter { $0.source == source }
            sources[source] = Remembered.Polled(
                last: polls.last?.at, lastUsable: polls.last { $0.outcome.isUsable }?.at)
        }
        let active = Dictionary(events.map { ($0.key, $0) }, uniquingKeysWith: { _, newer in newer }).values.filter {
            alerts[$0.key]?.state.since != nil
        }
        return Remembered(
            board: board,
            alerts: book(settings, watching: Set(polls.flatMap { $0.watched?.all ?? [] } + board.markets).sorted()),
            summary: summary(settings, at: now),
            active: ActiveAlerts(
                Array(active),
                ends: events.filter { $0.kind == .resolved && now.since($0.at) <= ActiveAlerts.endsKept }),
            sources: sources, firstPoll: polls.first?.at, lastCycle: lastCycle,
            queued: messages, notified: notified.mapValues(Set.init),
            unlogged: events.filter { !logged.contains($0.id) }, lastDigest: digest,
            exports: Dictionary(
                settings.exports.map { ($0.name, export($0.name)) }, uniquingKeysWith: { first, _ in first }),
            stored: stored)
    }

    /// The id of a poll is its place, from 1 on.
    private func export(_ name: String) -> RememberedExport {
        var export = RememberedExport(stored: exports[name])
        let rest = polls.dropFirst(Int(export.stored?.poll ?? 0))
        export.pending = rest.reduce(0) { $0 + $1.samples.count }
        export.oldest = rest.first?.fetchedAt
        return export
    }

    private func board(_ settings: Settings) -> MarketBoard {
        var watchlist = settings.watchlist
        watchlist.lastRanking = ranking
        var known: [MarketID: MarketBoard.Remembered] = [:]
        for poll in polls {
            for sample in poll.samples {
                let priceSample = MarketBoard.PriceSample(
                    price: sample.price, quotedAt: sample.quotedAt, fetchedAt: poll.fetchedAt, feed: poll.feed)
                if sample.confirmed {
                    known[sample.market] = MarketBoard.Remembered(
                        symbol: sample.symbol, name: sample.name, newest: priceSample)
                } else if let before = known[sample.market]?.confirmation {
                    let polls = if case .waiting(_, let polls) = before { polls + 1 } else { 1 }
                    known[sample.market]?.confirmation = .waiting(candidate: priceSample, polls: polls)
                }
            }
        }
        return MarketBoard(watching: watchlist, remembering: known)
    }

    private func book(_ settings: Settings, watching markets: [MarketID]) -> AlertBook {
        var book = AlertBook(settings, remembering: alerts, installation: Self.installation)
        book.silences = silences
        let numbers = Dictionary(markets.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        let items = Dictionary(
            settings.watchlist.named.map { ($0.market, $0) }, uniquingKeysWith: { first, _ in first })
        var newest: [MarketID: Date] = [:]
        var watched: Set<MarketID> = []
        for poll in polls {
            watched = poll.watched.map { Set($0.all) } ?? watched
            guard poll.outcome.isUsable else { continue }
            let trusted = poll.samples.filter(\.confirmed)
            for sample in trusted { newest[sample.market] = sample.quotedAt }
            // Nothing was heard of what was not watched, and what is stale counts as unknown.
            var unknown = Set(markets).subtracting(watched)
            for (market, reason) in poll.unknown where reason != .oldQuote && reason != .unconfirmed {
                unknown.insert(market)
            }
            for (market, quotedAt) in newest where (items[market]?.source ?? .shared) == poll.source {
                let staleness = items[market]?.staleness ?? settings.watchlist.staleness
                if poll.fetchedAt.since(quotedAt) > staleness.age(at: poll.interval) { unknown.insert(market) }
            }
            book.recall(
                poll: poll.fetchedAt, source: poll.source, interval: poll.interval,
                samples: trusted.compactMap { sample in
                    unknown.contains(sample.market)
                        ? nil : numbers[sample.market].map { ($0, sample.quotedAt, sample.price) }
                }, unknown: unknown.compactMap { numbers[$0] }.sorted(), of: markets)
        }
        return book
    }

    private func summary(_ settings: Settings, at now: Date) -> RollingSummary {
        var summary = RollingSummary(settings, now: now)
        for poll in polls where poll.outcome.isUsable {
            summary.cover(poll.source, at: poll.at, interval: poll.interval)
        }
        if let polled = summary.pastNeeded(until: now, now: now) {
            summary.add(past: past(polled), polledBefore: polled.upperBound)
        }
        return summary
    }
}
