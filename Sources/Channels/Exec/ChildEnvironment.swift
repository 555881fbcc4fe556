import Engine
import Foundation
import Markets

/// The environment of an exec channel's program: part of ours, and the message.
///
/// Only general variables are passed on. Our own environment may hold keys (`key_env`), the path of systemd's
/// credentials and systemd's notify socket. A program that needs more sets it in its command: `[/usr/bin/env,
/// NAME=value, /usr/local/bin/on-alert]`.
struct ChildEnvironment: Sendable {
    private let inherited: [String: String]

    private static let handedOn: Set<String> = [
        "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR",
        // For desktop notifications, if a desktop user runs the daemon.
        "DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR",
    ]
    private static let missing = [
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/", "LANG": "C.UTF-8",
    ]
    /// Linux refuses a variable of 128 KiB. A longer message is on standard input only.
    private static let longest = 64 << 10

    init(_ own: [String: String]) {
        let kept = own.filter { Self.handedOn.contains($0.key) || $0.key.hasPrefix("LC_") }
        inherited = Self.missing.merging(kept) { _, own in own }
    }

    /// For every message `PRICEWATCH_MESSAGE_ID`, `PRICEWATCH_TITLE`, `PRICEWATCH_TEXT`, `PRICEWATCH_EVENTS` (the
    /// number of events), `PRICEWATCH_JSON` (same as standard input; absent above 64 KiB), and with `web.url`
    /// `PRICEWATCH_URL`. For a single event a variable for each field, empty if absent; for a note
    /// `PRICEWATCH_NOTE_KIND`.
    func variables(for message: Message, json: [UInt8]) -> [String: String] {
        let text = MessageText(message)
        var own = [
            "MESSAGE_ID": message.id, "TITLE": text.headline, "TEXT": text.fitted(toBytes: Self.longest),
            "EVENTS": "\(message.events.count)",
        ]
        if json.count <= Self.longest { own["JSON"] = String(decoding: json, as: UTF8.self) }
        if message.singleEvent != nil { own.merge(Self.fields(ofEvent: json)) { $1 } }
        own["URL"] = text.link
        own["NOTE_KIND"] = message.note?.kind.rawValue
        var variables = inherited
        for (name, value) in own {
            // A zero byte would end the variable.
            variables["PRICEWATCH_" + name] = value.replacingBytes(of: ["\0"], with: "").cut(toBytes: Self.longest)
        }
        return variables
    }

    /// The fields of the event object, with names in capitals.
    private static func fields(ofEvent json: [UInt8]) -> [String: String] {
        let object = try? JSONSerialization.jsonObject(with: Data(json)) as? [String: Any]
        let fields = (object ?? [:]).map { ($0.uppercased(), $1 is NSNull ? "" : "\($1)") }
        return Dictionary(uniqueKeysWithValues: fields)
    }
}
