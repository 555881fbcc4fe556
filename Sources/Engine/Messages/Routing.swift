import Foundation
import Markets

/// Which channels are notified of what.
package struct Routing: Hashable, Sendable {
    /// In the order of the configuration.
    package let channels: [Channel]
    /// Channels by rule name; a rule without an entry notifies all.
    private let named: [String: [String]]
    /// The channels that receive the digest.
    package let digest: [String]

    package init(_ channels: [Channel] = [], rules: [AlertRule] = [], digest: [String] = []) {
        self.channels = channels
        named = Dictionary(
            rules.compactMap { rule in rule.notify.map { (rule.name, $0) } }, uniquingKeysWith: { first, _ in first })
        self.digest = digest
    }

    /// The settings of one channel.
    package struct Channel: Hashable, Sendable {
        package var name: String
        package var sendResolved = true
        /// A message that could not be delivered within this time is dropped.
        package var maxAge = Duration.hours(24)
        package var quiet: QuietHours?
        /// Of the quiet hours and of times in messages: that of the settings.
        package var zone = Zone.utc
        /// A hash of the channel's address: changes with it and holds no secret.
        package var address = ""

        /// When messages below critical may be sent again; nil: now.
        func quietEnd(at now: Date) -> Date? { quiet?.end(at: now, in: zone) }
    }

    /// Whether this channel is notified of the event. A resolve goes to the channels that were notified of the firing,
    /// whatever the rule says now.
    ///
    /// - Parameter notified: the channels that were notified that this alert fires.
    package func sends(_ event: AlertEvent, to channel: Channel, notified: Set<String>) -> Bool {
        guard event.silencedUntil == nil else { return false }
        switch event.kind {
        case .pending: return false
        case .firing, .reminder: return named[event.rule]?.contains(channel.name) ?? true
        case .resolved: return channel.sendResolved && notified.contains(channel.name)
        }
    }
}

extension Routing.Channel {
    package init(name: String) { self.init(name: name, address: "") }
}

extension QuietHours {
    /// When the quiet hours around `now` end; nil if `now` is outside them.
    ///
    /// Local time decides: it is quiet while a clock in `zone` shows a time within the hours, also across
    /// daylight-saving changes.
    package func end(at now: Date, in zone: Zone) -> Date? {
        let wallTime = zone.wallTime(now)
        let time = wallTime - (wallTime / Self.day).rounded(.down) * Self.day
        guard contains(time) else { return nil }
        let rest = (to.seconds - time + Self.day).truncatingRemainder(dividingBy: Self.day)
        let end = now.addingTimeInterval(rest)
        guard let change = zone.nextChange(after: now), change <= end else { return end }
        return self.end(at: change, in: zone) ?? change
    }

    private static let day: TimeInterval = 86_400

    private func contains(_ time: TimeInterval) -> Bool {
        from.seconds < to.seconds
            ? (from.seconds..<to.seconds).contains(time) : time >= from.seconds || time < to.seconds
    }
}

extension TimeOfDay {
    fileprivate var seconds: TimeInterval { TimeInterval((hour * 60 + minute) * 60) }
}
