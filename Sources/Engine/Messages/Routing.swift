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
        package var takes = Contents.messages

        package enum Contents: Hashable, Sendable {
            /// Events and notes, each once.
            case messages
            /// The state of all alerts, again at every cycle.
            ///
            /// - Parameter isShared: another pricewatch posts the same alerts there.
            case states(isShared: Bool)
        }

        /// When messages below critical may be sent again; nil: now.
        package func quietEnd(at now: Date) -> Date? { quiet?.end(at: now, in: zone) }
    }

    /// The channels to which events and notes are sent.
    var messageChannels: [Channel] { channels.filter { $0.takes == .messages } }

    /// The channels to which the state of alerts is posted.
    var stateChannels: [Channel] { channels.filter { $0.takes != .messages } }

    /// Whether the rule's alerts go to this channel.
    func names(_ channel: Channel, in rule: String) -> Bool { named[rule]?.contains(channel.name) ?? true }

    /// Whether this channel is notified of the event. A resolve goes to the channels that were notified of the firing,
    /// whatever the rule says now.
    ///
    /// - Parameter notified: the channels that were notified that this alert fires.
    package func sends(_ event: AlertEvent, to channel: Channel, notified: Set<String>) -> Bool {
        guard event.silencedUntil == nil else { return false }
        switch event.kind {
        case .pending: return false
        case .firing, .reminder: return names(channel, in: event.rule)
        case .resolved: return channel.sendResolved && notified.contains(channel.name)
        }
    }
}

extension Routing.Channel {
    package init(name: String) { self.init(name: name, address: "") }
}
