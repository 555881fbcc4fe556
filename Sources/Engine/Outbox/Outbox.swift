import Foundation
import Markets

/// The queued messages of each channel, and which channels are notified of which alerts.
package struct Outbox: Sendable {
    private(set) var routing: Routing
    /// The channels that were notified that an alert fires; those that states are posted to, that it fires or fired
    /// last.
    var notified: [AlertKey: Set<String>]
    /// What the posts to each channel that takes states have come to, by its name.
    var states: [String: StatePosting] = [:]
    private var queues: [ChannelQueue] = []
    /// The number of messages and the failing channels as last published in the status.
    var published: (queued: Int, faults: [String]) = (0, [])

    /// The most events of one poll that are sent to a channel as one message for each rule; more are joined into one.
    private static let mostOfRules = 5
    /// Concurrent deliveries. A channel's first delivery does not wait for a slot, so slow channels delay only
    /// themselves.
    private static let atOnce = 4

    init(_ routing: Routing, queued: [QueuedMessage] = [], notified: [AlertKey: Set<String>] = [:]) {
        self.routing = routing
        self.notified = notified
        for message in queued { add(message, isRecalled: true) }
        reload(routing)
    }

    /// Applies new routing. Running deliveries finish as they were started; the failures of a channel whose address
    /// changed are reset.
    mutating func reload(_ next: Routing) {
        routing = next
        for channel in next.channels {
            if let place = place(of: channel.name) {
                queues[place].reconfigure(channel)
            } else {
                queues.append(ChannelQueue(channel))
            }
        }
        let names = Set(next.channels.map(\.name))
        let before = states
        states = [:]
        for channel in next.stateChannels {
            states[channel.name] = before[channel.name] ?? StatePosting(channel)
            states[channel.name]?.reconfigure(channel)
        }
        for place in queues.indices { queues[place].isUnconfigured = !names.contains(queues[place].terms.name) }
    }

    private func place(of channel: String) -> Int? { queues.firstIndex { $0.terms.name == channel } }

    var size: OutboxSize {
        OutboxSize(
            queued: queues.reduce(0) { $0 + $1.messages.count },
            oldest: queues.flatMap(\.messages).map(\.createdAt).min())
    }

    /// The number and age of the messages, and those that wait for the end of quiet hours.
    func size(at now: Date) -> OutboxSize {
        var size = size
        size.held = queues.compactMap { $0.held(at: now) }
        return size
    }

    /// Channels that do not deliver, and why.
    var faults: [String] {
        queues.flatMap { queue in
            let faults = states[queue.terms.name].map(\.faults) ?? [queue.fault].compactMap { $0 }
            return faults.map { "\(queue.terms.name) does not deliver: \($0)" }
        }
    }
}

// MARK: New messages

extension Outbox {
    /// Queues the messages for a cycle's events.
    ///
    /// - Parameter gap: the gap before this cycle, reported in one message; nil: none.
    mutating func queue(
        _ events: [AlertEvent], after gap: Gap? = nil, _ identity: AlertBook.Identity, at now: Date,
        into commit: inout Commit
    ) {
        queueMissed(events, at: now, into: &commit)
        for channel in routing.messageChannels {
            let events = events.filter { routing.sends($0, to: channel, notified: notified[$0.key] ?? []) }
            if let gap {
                let note = Note(gap, changed: events, at: now, host: identity.host, in: channel.zone)
                let id = ["gap", gap.time.lowerBound.utcTextWithMilliseconds] + events.map(\.id)
                queue(note, id, to: channel, identity, at: now, into: &commit)
            } else {
                queue(events, to: channel, at: now, into: &commit)
            }
        }
        for event in events { noteChannels(of: event, in: &commit) }
    }

    /// Queues the digest for the channels that receive it.
    ///
    /// - Parameter due: when the digest was due; there is one message for each such time.
    mutating func queue(
        _ summary: DaySummary, of markets: [StatusReport.Market], due: Date, _ identity: AlertBook.Identity,
        at now: Date, into commit: inout Commit
    ) {
        let note = Note(digest: summary, prices: markets.map(\.digestLine), at: now, host: identity.host)
        for channel in routing.messageChannels where routing.digest.contains(channel.name) {
            queue(note, ["digest", due.utcText], to: channel, identity, at: now, into: &commit)
        }
    }

    mutating func queue(
        _ events: [AlertEvent], to channel: Routing.Channel, at now: Date, into commit: inout Commit
    ) {
        let isQuiet = channel.quietEnd(at: now) != nil
        for isHeld in [false, true] {
            let part = events.filter { (isQuiet && $0.severity != .critical) == isHeld }
            for group in part.count > Self.mostOfRules ? [part] : part.groupedByRule {
                let id = StableID.of([channel.name] + group.map(\.id))
                queue(
                    OutgoingMessage(id: id, channel: channel.name, createdAt: now, events: group, isHeld: isHeld),
                    into: &commit)
            }
        }
    }

    private mutating func queue(
        _ note: Note, _ id: [String], to channel: Routing.Channel, _ identity: AlertBook.Identity, at now: Date,
        into commit: inout Commit
    ) {
        let isCritical = note.events.contains { $0.severity == .critical }
        queue(
            OutgoingMessage(
                id: StableID.of([channel.name, identity.installation] + id), channel: channel.name,
                createdAt: now, events: note.events, note: note,
                isHeld: !isCritical && channel.quietEnd(at: now) != nil), into: &commit)
    }

    private mutating func queue(_ message: OutgoingMessage, into commit: inout Commit) {
        add(message.queued)
        commit.outbox.append(.queue(message))
    }

    /// Records which channels were notified of an alert.
    private mutating func noteChannels(of event: AlertEvent, in commit: inout Commit) {
        switch event.kind {
        case .pending: return
        case .firing, .reminder:
            let channels = routing.messageChannels.filter { routing.sends(event, to: $0, notified: []) }.map(\.name)
            // A post of the alert's state is what notifies the others: those of its last firing do not count.
            let before = notified[event.key, default: []]
            let known = before.filter { event.kind == .reminder || states[$0] == nil }.union(channels)
            guard known != before else { return }
            notified[event.key] = known
        case .resolved:
            guard let known = notified[event.key] else { return }
            // Its state is posted as resolved to those that had it as firing.
            let posted = known.filter { states[$0] != nil }
            notified[event.key] = posted.isEmpty ? nil : posted
            guard known != posted else { return }
        }
        commit.notified[event.key] = (notified[event.key] ?? []).sorted()
    }
}

// MARK: Deliveries

/// Messages of an alert to a channel keep their order, a failing channel is tried with one delivery at a time, and
/// channels do not wait for each other.
extension Outbox {
    /// - Parameter isRecalled: an earlier daemon queued it.
    mutating func add(_ message: QueuedMessage, isRecalled: Bool = false) {
        if place(of: message.channel) == nil {
            queues.append(ChannelQueue(Routing.Channel(name: message.channel), isUnconfigured: true))
        }
        guard let place = place(of: message.channel) else { return }
        queues[place].add(message, isRecalled: isRecalled)
    }

    /// The next action; nil: none before `nextMoment`.
    mutating func next(at now: Date) -> ChannelQueue.Action? {
        queues.removeAll { $0.isUnconfigured && $0.messages.isEmpty }
        let running = queues.reduce(0) { $0 + $1.running.count }
        // What the posted states lacked waits for the end of a running post, which may have had it.
        for place in queues.indices where states[queues[place].terms.name]?.isPosting != true {
            if let action = queues[place].next(at: now, slotsLeft: Self.atOnce - running) { return action }
        }
        return nil
    }

    /// The time of the next action after `now`; nil: none until a delivery ends or a message is added.
    func nextMoment(after now: Date) -> Date? { queues.compactMap { $0.nextMoment(after: now) }.min() }

    mutating func finish(
        _ message: QueuedMessage, _ outcome: Delivery.Outcome, at now: Date, random: Double
    ) -> ChannelQueue.Verdict {
        guard let place = place(of: message.channel) else { return .done }
        return queues[place].finish(message.id, outcome, at: now, random: random)
    }

    /// No delivery is running.
    var isIdle: Bool { queues.allSatisfy(\.running.isEmpty) && !states.values.contains(where: \.isPosting) }

    /// Takes back the messages of a channel that report nothing but these alerts; returns their ids.
    mutating func withdraw(_ alerts: Set<AlertKey>, from channel: String) -> [String] {
        place(of: channel).map { queues[$0].withdraw(alerts) } ?? []
    }

    /// The channel answers again: its messages are sent without their backoff.
    mutating func recover(_ channel: String) {
        if let place = place(of: channel) { queues[place].recover() }
    }

    /// The wall clock was set by `step`, forward or (below zero) back: shifts the queued times.
    mutating func follow(clockSetBy step: Duration) {
        for place in queues.indices { queues[place].follow(clockSetBy: step) }
    }

    /// The clock agrees with a provider's: the age of messages from an earlier daemon is used from now on.
    mutating func confirmClock() {
        for place in queues.indices { queues[place].recalled = [] }
    }
}

extension [AlertEvent] {
    /// The events of each rule, in the order in which the rules first occur.
    fileprivate var groupedByRule: [[AlertEvent]] {
        var places: [String: Int] = [:]
        return reduce(into: []) { groups, event in
            if let place = places[event.rule] {
                groups[place].append(event)
            } else {
                places[event.rule] = groups.count
                groups.append([event])
            }
        }
    }
}
