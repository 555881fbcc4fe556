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

/// A message to deliver.
package struct Message: Hashable, Sendable {
    /// The same for each attempt, so that a receiver can detect duplicates. Sent as `Idempotency-Key`.
    package var id: String
    package var content: Content

    package enum Content: Hashable, Sendable {
        /// At least one; several if grouped. In the order in which they happened.
        case events([AlertEvent])
        case note(Note)
    }

    package init(id: String, content: Content) {
        self.id = id
        self.content = content
    }

    /// Nil if the contents hold nothing to send.
    package init?(_ id: String, _ contents: OutgoingMessage.Contents) {
        if var note = contents.note {
            note.events = contents.events
            self.init(id: id, content: .note(note))
        } else if !contents.events.isEmpty {
            self.init(id: id, content: .events(contents.events))
        } else {
            return nil
        }
    }

    /// Those of a note are the ones that it summarises.
    var events: [AlertEvent] {
        switch content {
        case .events(let events): events
        case .note(let note): note.events
        }
    }

    private var note: Note? { if case .note(let note) = content { note } else { nil } }

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

    package init(description: String, isPermanent: Bool, retryAfter: Duration? = nil) {
        self.description = description
        self.isPermanent = isPermanent
        self.retryAfter = retryAfter
    }
}
