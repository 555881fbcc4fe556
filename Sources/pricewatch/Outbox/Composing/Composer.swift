import Engine
import Foundation
import History
import Markets

/// Makes the messages of a turn: which channel hears of which events, one by one or together, now or after its quiet
/// hours.
struct Composer: Sendable {
    /// More events of one turn to one channel than this come as one message.
    static let mostSingle = 5

    let routing: Routing
    var identity: AlertBook.Identity
    /// The channels that know of an alert that it fires.
    private(set) var told: [AlertKey: Set<String>]

    init(_ routing: Routing, identity: AlertBook.Identity, told: [AlertKey: Set<String>] = [:]) {
        self.routing = routing
        self.identity = identity
        self.told = told
    }

    /// The record of a turn's changes, with all that is to be sent of them.
    ///
    /// - Parameter gap: What was not watched before this turn and is worth a word; nil: nothing.
    mutating func record(_ changes: AlertBook.Changes, at now: Date, after gap: Gap? = nil) -> AlertRecord {
        var record = changes.record(at: now)
        for channel in routing.channels {
            let events = changes.events.filter { routing.sends($0, to: channel, told: told[$0.key] ?? []) }
            if let gap {
                record.messages.append(message(gap, events, to: channel, at: now))
            } else {
                record.messages += messages(events, to: channel, at: now)
            }
        }
        for event in changes.events { note(event, in: &record) }
        return record
    }

    /// The day's summary for the channels that want it.
    ///
    /// - Parameter due: when it was to come; one for each such moment.
    func digest(_ summary: DaySummary, due: Date, at now: Date) -> [OutgoingMessage] {
        let note = Note(digest: summary, at: now, host: identity.host)
        return routing.channels.filter { routing.digest.contains($0.name) }.map {
            message(note, [], to: $0, at: now, id: ["digest", due.utcText])
        }
    }

    private func messages(_ events: [AlertEvent], to channel: ChannelTerms, at now: Date) -> [OutgoingMessage] {
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

    private func message(_ gap: Gap, _ events: [AlertEvent], to channel: ChannelTerms, at now: Date) -> OutgoingMessage
    {
        message(
            Note(gap, changed: events, at: now, host: identity.host), events, to: channel, at: now,
            id: ["gap", gap.time.lowerBound.utcTextWithMilliseconds] + events.map(\.id))
    }

    private func message(
        _ note: Note, _ events: [AlertEvent], to channel: ChannelTerms, at now: Date, id: [String]
    ) -> OutgoingMessage {
        let isCritical = events.contains { $0.severity == .critical }
        return OutgoingMessage(
            id: MessageID.of([identity.installation] + id, to: channel.name), channel: channel.name, createdAt: now,
            events: events, note: note.encoded, isHeld: !isCritical && channel.quietEnd(at: now) != nil)
    }

    /// Keeps in mind who knows of an alert.
    private mutating func note(_ event: AlertEvent, in record: inout AlertRecord) {
        switch event.kind {
        case .pending: return
        case .firing, .reminder:
            let hearing = routing.channels.filter { routing.sends(event, to: $0, told: []) }.map(\.name)
            let known = told[event.key, default: []]
            guard !known.isSuperset(of: hearing) else { return }
            told[event.key] = known.union(hearing)
        case .resolved:
            guard told.removeValue(forKey: event.key) != nil else { return }
        }
        record.told[event.key] = (told[event.key] ?? []).sorted()
    }
}

enum MessageID {
    /// The same for the same events to the same channel, however often they are told.
    static func of(_ parts: [String], to channel: String) -> String { StableID.of([channel] + parts) }
}
