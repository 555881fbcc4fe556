/// A message for programs: `{"schema": 1, "events": [..]}`, for a note with `note` and the events that it puts
/// into words.
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
