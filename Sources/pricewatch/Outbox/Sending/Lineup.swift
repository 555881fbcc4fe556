import Engine
import Foundation
import History
import Markets

/// Who is sent next, decided without sending: messages of an alert to a channel keep their order, a channel in trouble is
/// tried by one delivery at a time, and none waits for another channel.
struct Lineup {
    /// Deliveries at once. A channel's first is never kept waiting, so that slow ones delay only themselves.
    static let atOnce = 4

    private let backoff: Backoff
    private var lines: [ChannelLine] = []

    init(backoff: Backoff = Backoff()) { self.backoff = backoff }

    enum Action: Hashable {
        case send(QueuedMessage)
        case drop(QueuedMessage, DropReason)
        /// Quiet hours are over: what was held is now told as `whole`.
        case release([QueuedMessage], whole: QueuedMessage)
    }

    enum DropReason: Hashable {
        case maxAge(Duration)
        /// No channel of that name is configured any more.
        case noChannel
        /// The channel will never take it.
        case refused
        /// The database no longer has it.
        case lost
    }

    /// How a delivery ended.
    enum Outcome: Hashable {
        case delivered
        case failed(cause: String, retryAfter: Duration?)
        case refused(cause: String)
        case lost
        /// We broke it off ourselves.
        case interrupted
    }

    enum Verdict: Hashable {
        case done
        /// With the attempts so far and the time of the next.
        case postponed(QueuedMessage)
        case dropped(DropReason)
        /// It stays where it was.
        case kept
    }

    /// Takes over what the configuration says now.
    ///
    /// - Parameter changed: Channels that are reached another way than before, and so get another chance.
    mutating func become(_ channels: [ChannelTerms], changed: Set<String> = []) {
        for terms in channels {
            if let place = place(of: terms.name) {
                lines[place].terms = terms
                if changed.contains(terms.name) { lines[place].startAnew() }
            } else {
                lines.append(ChannelLine(terms))
            }
        }
        let names = Set(channels.map(\.name))
        for place in lines.indices { lines[place].isGone = !names.contains(lines[place].terms.name) }
    }

    /// The wall clock was set by so much, forward or (below zero) back.
    mutating func follow(clockSetBy step: Duration) {
        for place in lines.indices { lines[place].follow(clockSetBy: step) }
    }

    mutating func clockIsRight() {
        for place in lines.indices { lines[place].clockIsRight() }
    }

    /// - Parameter isRecalled: An earlier daemon left it.
    mutating func add(_ message: QueuedMessage, isRecalled: Bool = false) {
        if let place = place(of: message.channel) { return lines[place].add(message, isRecalled: isRecalled) }
        var line = ChannelLine(ChannelTerms(name: message.channel))
        line.isGone = true
        line.add(message, isRecalled: isRecalled)
        lines.append(line)
    }

    /// What is to be done now; nil: nothing before `nextMoment`.
    mutating func next(at now: Date) -> Action? {
        lines.removeAll { $0.isGone && $0.waiting.isEmpty }
        let running = lines.reduce(0) { $0 + $1.running.count }
        for place in lines.indices {
            if let action = lines[place].next(at: now, slotsLeft: Self.atOnce - running) { return action }
        }
        return nil
    }

    /// When something is to be done that cannot be done at `now`; nil: when a delivery ends, or something is added.
    func nextMoment(after now: Date) -> Date? {
        lines.compactMap { $0.nextMoment(after: now) }.min()
    }

    mutating func finish(_ message: QueuedMessage, _ outcome: Outcome, at now: Date, random: Double) -> Verdict {
        guard let place = place(of: message.channel) else { return .done }
        return lines[place].finish(message.id, outcome, backoff, at: now, random: random)
    }

    var isIdle: Bool { lines.allSatisfy(\.running.isEmpty) }

    var size: OutboxSize {
        OutboxSize(
            queued: lines.reduce(0) { $0 + $1.waiting.count }, oldest: lines.compactMap(\.oldest).min())
    }

    /// Channels that do not deliver, and what the last of them said.
    var faults: [ChannelFault] {
        lines.compactMap { line in line.fault.map { ChannelFault(channel: line.terms.name, message: $0) } }
    }

    private func place(of channel: String) -> Int? { lines.firstIndex { $0.terms.name == channel } }
}

/// A channel that does not deliver.
struct ChannelFault: Hashable, Sendable {
    var channel: String
    var message: String
}
