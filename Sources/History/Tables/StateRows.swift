import Engine
import Foundation
import GRDB
import Markets

extension Alert {
    /// - Parameter row: of the table `alert`.
    init(_ row: Row) throws {
        self.init(
            state: try AlertState(row), condition: try row.value("alert.condition"),
            announcements: try row.value("alert.announcements"))
    }
}

extension AlertState {
    fileprivate init(_ row: Row) throws {
        let since: Date? = try row.value("alert.since")
        let held: Duration? = try row.value("alert.held")
        let time = try row.value("alert.last_answered", as: Date?.self).map {
            WatchedTime(total: held ?? .zero, lastAnswered: $0)
        }
        let name: String = try row.value("alert.state")
        switch (name, since) {
        case ("firing", let since?):
            self = .firing(
                Firing(
                    since: since, lastNotified: try row.value("alert.last_notified", as: Date?.self) ?? since,
                    notifiedPrice: try row.value("alert.notified_price"), side: try row.value("alert.side"),
                    clearedFor: time))
        case ("pending", let since?): self = .pending(since: since, held: time ?? WatchedTime(lastAnswered: since))
        case ("resting", nil): self = .latched
        case ("inactive", nil): self = .inactive
        default: throw UndecodableValue(place: "alert.state", found: name.databaseValue)
        }
    }
}

extension AlertEvent {
    /// - Parameter row: of the table `event`.
    init(_ row: Row) throws {
        self.init(
            id: try row.value("event.event_id"), kind: try row.value("event.event"),
            reason: try row.value("event.reason"), rule: try row.value("event.rule"),
            market: try row.value("event.market"),
            symbol: try row.value("event.symbol", as: String.self).cut(toBytes: Quote.longestSymbol),
            name: try row.value("event.name", as: String.self).cut(toBytes: Quote.longestName),
            currency: try row.value("event.currency"),
            severity: try row.value("event.severity"), note: try row.value("event.note"),
            condition: try row.value("event.condition"), price: try row.value("event.price"),
            threshold: try row.value("event.threshold"), changePercent: try row.value("event.change_hundredths"),
            at: try row.value("event.at"), quotedAt: try row.value("event.quoted_at"),
            since: try row.value("event.since"),
            lateSeconds: try row.value("event.late_s", as: Int64?.self).map(Int.init),
            silencedUntil: try row.value("event.silenced_until"), feed: try row.value("event.feed"),
            host: try row.value("event.host"))
    }
}

extension Silence {
    /// - Parameter row: of the table `silence`.
    init(_ row: Row) throws {
        self.init(
            id: try row.value("silence.id"), rule: try row.value("silence.rule"),
            market: try row.value("silence.market"), since: try row.value("silence.since"),
            until: try row.value("silence.until"))
    }
}

extension QueuedMessage {
    /// - Parameter row: of the table `message`.
    init(_ row: Row, events: [Event]) throws {
        self.init(
            id: try row.value("message.message_id"), channel: try row.value("message.channel"),
            createdAt: try row.value("message.created_at"), events: events,
            isNote: try row.value("message.note", as: Data?.self) != nil, isHeld: try row.value("message.held"),
            attempts: try row.value("message.attempts"), notBefore: try row.value("message.not_before"),
            lastError: try row.value("message.last_error"))
    }
}
