import Engine
import Foundation
import Markets

/// A destination of messages: a network service, or a program of the owner's.
package protocol Channel: Sendable {
    /// The name that rules use.
    var name: String { get }

    /// Sends one message within the channel's timeout. Any 2xx of a service, or exit status 0 of a program, is success.
    ///
    /// - Returns: the answer for people, such as `204` or `exit 0`. It comes from outside.
    func deliver(_ message: Message) async throws(DeliveryError) -> String
}

/// A channel that takes the state of all alerts, again and again. Its messages are tests, and alerts that no state
/// reached.
package protocol StateChannel: Channel {
    /// Posts to all addresses at once.
    ///
    /// - Parameter page: where the alerts link to; nil: they have no link.
    func post(_ state: StatePost, page: PageURL?) async -> StateAnswers
}

/// A message to deliver.
package struct Message: Hashable, Sendable {
    /// The same for each attempt, so that a receiver can detect duplicates. Sent as `Idempotency-Key`.
    package var id: String
    /// In the order in which they happened; several if grouped. Those beside a note are the ones that it summarises.
    package var events: [AlertEvent]
    package var note: Note?
    /// In which people read its times.
    package var zone: Zone
    /// The page for browsers that it links to; nil: it has no link.
    package var page: PageURL?

    package init(
        id: String, events: [AlertEvent] = [], note: Note? = nil, zone: Zone = .utc, page: PageURL? = nil
    ) {
        self.id = id
        self.events = events
        self.note = note
        self.zone = zone
        self.page = page
    }

    /// To what the message is about: its market, the alerts if there are several, else all markets.
    var link: String? {
        guard let page else { return nil }
        guard note == nil, let first = events.first else { return page.home }
        guard events.allSatisfy({ $0.market == first.market }) else { return page.alerts }
        return first.link(on: page)
    }

    /// The one event that the message is about; nil if it is about several, or a note.
    var singleEvent: AlertEvent? { note == nil && events.count == 1 ? events[0] : nil }

    /// The severity of the most severe event; a note is `info`, a gap at least a warning.
    var severity: AlertRule.Severity {
        let severities = events.map(\.severity) + (note?.kind == .gap ? [.warning] : [])
        return AlertRule.Severity.allCases.last(where: severities.contains) ?? .info
    }

    var isAllResolved: Bool { note == nil && events.allSatisfy { $0.kind == .resolved } }

    /// `{"schema": 1, "events": [..]}`; a note adds `note`.
    var json: JSONWriter {
        .object { json in
            json.member("schema", 1)
            json.array("events", events) { $1.write(&$0) }
            guard let note else { return }
            json.object("note") { json in
                json.member("kind", note.kind.rawValue)
                json.member("title", note.title)
                json.array("lines", note.lines) { $0.string($1) }
                json.member("at", note.at)
                json.member("host", note.host)
            }
        }
    }
}

extension JSONWriter {
    /// The text of one object.
    static func object(_ body: (inout JSONWriter) -> Void) -> JSONWriter {
        var json = JSONWriter()
        json.object(body)
        return json
    }
}

/// Why a delivery failed.
package struct DeliveryError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Operation, object, cause and hint, without any secret. Bounded; text from outside is escaped.
    package var description: String
    /// True if a retry is useless, such as after a 404.
    package var isPermanent: Bool
    /// The minimum delay before a retry, as the service requests.
    package var retryAfter: Duration?
}
