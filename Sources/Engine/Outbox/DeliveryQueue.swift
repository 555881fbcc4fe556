import Foundation
import Markets

/// Decides which message is sent next. Messages of an alert to a channel keep their order, a failing channel is tried
/// with one delivery at a time, and channels do not wait for each other.
struct DeliveryQueue: Sendable {
    /// Concurrent deliveries. A channel's first delivery does not wait for a slot, so slow channels delay only
    /// themselves.
    static let atOnce = 4

    private let backoff: Backoff
    private var queues: [ChannelQueue] = []

    init(backoff: Backoff = Backoff()) { self.backoff = backoff }

    enum Action: Hashable {
        case send(QueuedMessage)
        case drop(QueuedMessage, DropReason)
        /// Quiet hours ended: the held messages become one.
        case release([QueuedMessage], whole: QueuedMessage)
    }

    enum DropReason: Hashable {
        case maxAge(Duration)
        /// No channel of that name is configured any more.
        case noChannel
        /// The channel rejected it permanently.
        case refused
        /// The database no longer has it.
        case lost
    }

    enum Verdict: Hashable {
        case done
        /// With the attempts so far and the time of the next.
        case postponed(QueuedMessage)
        case dropped(DropReason)
        /// It stays queued.
        case kept
    }

    /// Applies the configured channels.
    ///
    /// - Parameter changed: channels whose address changed; their failures are reset.
    mutating func become(_ channels: [Routing.Channel], changed: Set<String> = []) {
        for terms in channels {
            if let place = place(of: terms.name) {
                queues[place].terms = terms
                if changed.contains(terms.name) { queues[place].startAnew() }
            } else {
                queues.append(ChannelQueue(terms))
            }
        }
        let names = Set(channels.map(\.name))
        for place in queues.indices { queues[place].isUnconfigured = !names.contains(queues[place].terms.name) }
    }

    /// The wall clock was set by `step`, forward or (below zero) back: shifts the queued times.
    mutating func follow(clockSetBy step: Duration) {
        for place in queues.indices { queues[place].follow(clockSetBy: step) }
    }

    mutating func confirmClock() {
        for place in queues.indices { queues[place].confirmClock() }
    }

    /// - Parameter isRecalled: an earlier daemon queued it.
    mutating func add(_ message: QueuedMessage, isRecalled: Bool = false) {
        if let place = place(of: message.channel) { return queues[place].add(message, isRecalled: isRecalled) }
        var queue = ChannelQueue(Routing.Channel(name: message.channel))
        queue.isUnconfigured = true
        queue.add(message, isRecalled: isRecalled)
        queues.append(queue)
    }

    /// The next action; nil: none before `nextMoment`.
    mutating func next(at now: Date) -> Action? {
        queues.removeAll { $0.isUnconfigured && $0.messages.isEmpty }
        let running = queues.reduce(0) { $0 + $1.running.count }
        for place in queues.indices {
            if let action = queues[place].next(at: now, slotsLeft: Self.atOnce - running) { return action }
        }
        return nil
    }

    /// The time of the next action after `now`; nil: none until a delivery ends or a message is added.
    func nextMoment(after now: Date) -> Date? {
        queues.compactMap { $0.nextMoment(after: now) }.min()
    }

    mutating func finish(_ message: QueuedMessage, _ outcome: Delivery.Outcome, at now: Date, random: Double) -> Verdict
    {
        guard let place = place(of: message.channel) else { return .done }
        return queues[place].finish(message.id, outcome, backoff, at: now, random: random)
    }

    var isIdle: Bool { queues.allSatisfy(\.running.isEmpty) }

    var size: OutboxSize {
        OutboxSize(
            queued: queues.reduce(0) { $0 + $1.messages.count }, oldest: queues.compactMap(\.oldest).min())
    }

    /// Channels that do not deliver, with the error.
    var faults: [ChannelFault] {
        queues.compactMap { queue in queue.fault.map { ChannelFault(channel: queue.terms.name, message: $0) } }
    }

    private func place(of channel: String) -> Int? { queues.firstIndex { $0.terms.name == channel } }
}

/// A channel that does not deliver.
package struct ChannelFault: Hashable, Sendable {
    package var channel: String
    package var message: String
}
