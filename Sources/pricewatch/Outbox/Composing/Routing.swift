import Engine
import Foundation
import Markets

/// Which channels hear of what, as the configuration has it.
struct Routing: Hashable, Sendable {
    /// In the file's order.
    let channels: [ChannelTerms]
    /// By the names of rules, where they name channels; the others go to all.
    private let named: [String: [String]]
    /// Where the day's summary goes, too.
    let digest: [String]

    init(_ configuration: Configuration) {
        channels = configuration.notify.map { ChannelTerms($0, in: configuration.timeZone) }
        named = Dictionary(
            configuration.alertRules.compactMap { rule in rule.notify.map { (rule.name, $0) } },
            uniquingKeysWith: { first, _ in first })
        digest = configuration.digest?.notify ?? []
    }

    /// Whether this channel is to hear of the event. The end of an alert goes where its beginning went, whatever became
    /// of the rule since; a channel that heard nothing of it needs no end.
    ///
    /// - Parameter told: The channels that know that this alert fires.
    func sends(_ event: AlertEvent, to channel: ChannelTerms, told: Set<String>) -> Bool {
        guard event.silencedUntil == nil else { return false }
        switch event.kind {
        case .pending: return false
        case .firing, .reminder: return named[event.rule]?.contains(channel.name) ?? true
        case .resolved: return channel.sendResolved && told.contains(channel.name)
        }
    }
}

/// What the configuration says of one channel beside how to reach it.
struct ChannelTerms: Hashable, Sendable {
    var name: String
    var sendResolved: Bool
    var maxAge: Duration
    var quiet: QuietHours?
    var zone: TimeZone

    init(_ channel: Configuration.Channel, in zone: TimeZone) {
        self.init(
            name: channel.name, sendResolved: channel.sendResolved, maxAge: channel.maxAge, quiet: channel.quiet,
            zone: zone)
    }

    init(
        name: String, sendResolved: Bool = true, maxAge: Duration = .hours(24), quiet: QuietHours? = nil,
        zone: TimeZone = .gmt
    ) {
        self.name = name
        self.sendResolved = sendResolved
        self.maxAge = maxAge
        self.quiet = quiet
        self.zone = zone
    }

    /// When what is below critical may be sent again; nil: now.
    func quietEnd(at now: Date) -> Date? { quiet?.end(at: now, in: zone) }
}
