import Foundation
import Markets

/// The queued messages, and which channels are notified of which alerts.
package struct Outbox: Sendable {
    package private(set) var routing: Routing
    /// The channels that were notified that an alert fires.
    private(set) var notified: [AlertKey: Set<String>]
    var queue: DeliveryQueue
    /// Failing channels as last published in the status.
    var publishedFaults: [ChannelFault] = []

    /// The most events of one cycle that are sent to a channel as single messages; more are joined into one.
    package static let mostSingle = 5

    package init(_ routing: Routing, remembering remembered: Remembered) {
        self.init(routing, queued: remembered.queued, notified: remembered.notified)
    }

    init(_ routing: Routing, queued: [QueuedMessage] = [], notified: [AlertKey: Set<String>] = [:]) {
        self.routing = routing
        self.notified = notified
        queue = DeliveryQueue()
        for message in queued { queue.add(message, isRecalled: true) }
        queue.become(routing.channels)
    }

    var size: OutboxSize { queue.size }
    var faults: [ChannelFault] { queue.faults }

    func nextMoment(after now: Date) -> Date? { queue.nextMoment(after: now) }

    /// Applies new routing. Running deliveries finish as they were started; the failures of a channel whose address
    /// changed are reset.
    mutating func reload(_ next: Routing) {
        let before = Dictionary(routing.channels.map { ($0.name, $0.address) }, uniquingKeysWith: { first, _ in first })
        let changed = next.channels.filter { before[$0.name].map { [address = $0.address] in $0 != address } ?? false }
        routing = next
        queue.become(next.channels, changed: Set(changed.map(\.name)))
    }

    mutating func follow(clockSetBy step: Duration) { queue.follow(clockSetBy: step) }

    /// The clock agrees with a provider's: the age of messages from an earlier daemon is used from now on.
    mutating func confirmClock() { queue.confirmClock() }
}

// MARK: New messages

extension Outbox {
    /// Queues the messages for a cycle's events.
    ///
    /// - Parameter gap: the gap before this cycle, reported in one message; nil: none.
    mutating func take(
        _ events: [AlertEvent], after gap: Gap? = nil, _ identity: AlertBook.Identity, at now: Date,
        into commit: inout Commit
    ) {
        for channel in routing.channels {
            let events = events.filter { routing.sends($0, to: channel, notified: notified[$0.key] ?? []) }
            if let gap {
                add(message(gap, events, to: channel, identity, at: now), &commit)
            } else {
                for message in messages(events, to: channel, at: now) { add(message, &commit) }
            }
        }
        for event in events { note(event, in: &commit) }
    }

    /// Queues the digest for the channels that receive it.
    ///
    /// - Parameter due: when the digest was due; there is one message for each such time.
    mutating func take(
        _ summary: DaySummary, due: Date, _ identity: AlertBook.Identity, at now: Date, into commit: inout Commit
    ) {
        let note = Note(digest: summary, at: now, host: identity.host)
        for channel in routing.channels where routing.digest.contains(channel.name) {
            add(message(note, to: channel, identity, at: now, id: ["digest", due.utcText]), &commit)
        }
    }

    private mutating func add(_ message: OutgoingMessage, _ commit: inout Commit) {
        queue.add(message.queued)
        commit.outbox.append(.queue(message))
    }

    private func messages(_ events: [AlertEvent], to channel: Routing.Channel, at now: Date) -> [OutgoingMessage] {
        let isQuiet = channel.quietEnd(at: now) != nil
        return [false, true].flatMap { isHeld in
            let part = events.filter { (isQuiet && $0.severity != .critical) == isHeld }
            let groups = part.count > Self.mostSingle ? [part] : part.map { [$0] }
            return groups.map { group in
                OutgoingMessage(
                    id: MessageID.of(group.map(\.id), to: channel.name), channel: channel.name, createdAt: now,
                    events: group, isHeld: isHeld)
            }
        }
    }

    private func message(
        _ gap: Gap, _ events: [AlertEvent], to channel: Routing.Channel, _ identity: AlertBook.Identity, at now: Date
    ) -> OutgoingMessage {
        message(
            Note(gap, changed: events, at: now, host: identity.host), to: channel, identity, at: now,
            id: ["gap", gap.time.lowerBound.utcTextWithMilliseconds] + events.map(\.id))
    }

    private func message(
        _ note: Note, to channel: Routing.Channel, _ identity: AlertBook.Identity, at now: Date, id: [String]
    ) -> OutgoingMessage {
        let isCritical = note.events.contains { $0.severity == .critical }
        return OutgoingMessage(
            id: MessageID.of([identity.installation] + id, to: channel.name), channel: channel.name, createdAt: now,
            events: note.events, note: note, isHeld: !isCritical && channel.quietEnd(at: now) != nil)
    }

    /// Records which channels were notified of an alert.
    private mutating func note(_ event: AlertEvent, in commit: inout Commit) {
        switch event.kind {
        case .pending: return
        case .firing, .reminder:
            let hearing = routing.channels.filter { routing.sends(event, to: $0, notified: []) }.map(\.name)
            let known = notified[event.key, default: []]
            guard !known.isSuperset(of: hearing) else { return }
            notified[event.key] = known.union(hearing)
        case .resolved:
            guard notified.removeValue(forKey: event.key) != nil else { return }
        }
        commit.notified[event.key] = (notified[event.key] ?? []).sorted()
    }
}

enum MessageID {
    /// The same for the same events to the same channel, however often they are announced.
    static func of(_ parts: [String], to channel: String) -> String { StableID.of([channel] + parts) }
}
