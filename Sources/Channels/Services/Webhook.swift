import Foundation
import Markets

/// The owner's own receiver: a POST of the events as JSON, described in `etc/webhook.schema.json`.
struct Webhook: HTTPService {
    static let kind = "webhook"
    let url: String

    func body(for message: Message) -> [UInt8] { MessageJSON.bytes(message) }

    func diagnose(status: Int, _ body: Data) -> Diagnosis {
        switch status {
        case 401, 403: Diagnosis(hint: "check what the URL must hold to be let in")
        case 404, 410: Diagnosis(hint: "check the URL")
        case 405: Diagnosis(hint: "the URL must take POST")
        default: Diagnosis()
        }
    }
}

/// A message as JSON: `{"schema": 1, "events": [..]}`; a note adds `note`, with the events that it summarises.
enum MessageJSON {
    static func bytes(_ message: Message) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("schema", 1)
            switch message.content {
            case .events(let events):
                json.array("events", events) { $1.write(&$0) }
            case .note(let note):
                json.array("events", note.events) { $1.write(&$0) }
                json.object("note") { json in
                    json.member("kind", note.kind.rawValue)
                    json.member("title", note.title)
                    json.array("lines", note.lines) { $0.string($1) }
                    json.member("at", note.at)
                    json.member("host", note.host)
                }
            }
        }
        return json.bytes
    }
}
