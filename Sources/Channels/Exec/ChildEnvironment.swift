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
    /// number of events), `PRICEWATCH_JSON` (same as standard input; absent above 64 KiB). For a single event a
    /// variable for each field, empty if absent; for a note `PRICEWATCH_NOTE_KIND`.
    func variables(for message: Message, json: [UInt8]) -> [String: String] {
        let text = MessageText(message)
        var own = ["MESSAGE_ID": message.id, "TITLE": text.headline, "TEXT": text.fitted(to: .utf16(Self.longest / 4))]
        if json.count <= Self.longest { own["JSON"] = String(decoding: json, as: UTF8.self) }
        switch message.content {
        case .events(let events):
            own["EVENTS"] = "\(events.count)"
            if events.count == 1 { own.merge(Self.fields(of: events[0])) { $1 } }
        case .note(let note):
            own["EVENTS"] = "\(note.events.count)"
            own["NOTE_KIND"] = note.kind.rawValue
        }
        var variables = inherited
        for (name, value) in own {
            // A zero byte would end the variable.
            variables["PRICEWATCH_" + name] = value.replacingBytes(of: ["\0"], with: "").shortened(to: Self.limit)
        }
        return variables
    }

    private static let limit = TextLimit(units: longest) { String($0).utf8.count }

    /// The fields of the event object, with names in capitals.
    private static func fields(of event: AlertEvent) -> [String: String] {
        [
            "EVENT_ID": event.id, "EVENT": event.kind.rawValue, "REASON": event.reason.rawValue, "RULE": event.rule,
            "MARKET": event.market.text, "SYMBOL": event.symbol, "NAME": event.name, "CURRENCY": event.currency.code,
            "SEVERITY": event.severity.rawValue, "NOTE": event.note ?? "", "CONDITION": event.condition.description,
            "PRICE": event.price?.description ?? "", "THRESHOLD": event.threshold?.description ?? "",
            "CHANGE_PERCENT": event.changePercent?.description ?? "", "AT": event.at.utcText,
            "QUOTED_AT": event.quotedAt?.utcText ?? "", "SINCE": event.since?.utcText ?? "",
            "LATE_S": event.lateSeconds.map { "\($0)" } ?? "", "SILENCED_UNTIL": event.silencedUntil?.utcText ?? "",
            "FEED": event.feed ?? "", "HOST": event.host,
        ]
    }
}
