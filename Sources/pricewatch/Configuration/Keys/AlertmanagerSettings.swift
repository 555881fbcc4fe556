import Channels
import Engine
import HTTP
import Markets

extension Alertmanagers {
    private static let ownKeys = ["shared", "labels", "user", "password"]
    /// Keys of channels that get each change once, as a message.
    private static let messageKeys = [
        "quiet": "mute_time_intervals", "send_resolved": "send_resolved of a receiver", "max_age": "", "timeout": "",
    ]

    /// nil, with a fault where the section is meant as one, if it names no address.
    init?(_ section: Section, token: Secret?, allowHTTP: Bool) {
        guard section.holds("alertmanager") else {
            for key in Self.ownKeys where section.holds(key) { section.fault(at: key, "belongs to alertmanager") }
            return nil
        }
        let urls = section.oneOrMore("alertmanager", .alertmanager(allowHTTP: allowHTTP))
        let labels = section.section("labels") { Self.labels($0) }
        let credentials = section.credentials(token: token)
        for (key, theirs) in Self.messageKeys.sorted(by: { $0.key < $1.key }) where section.holds(key) {
            let place = theirs.isEmpty ? "" : "; Alertmanager's own is \(theirs)"
            section.fault(
                at: key,
                "is of messages, and alertmanager gets the state of all alerts at every poll: leave it out\(place)")
        }
        if urls?.isEmpty == true, section.items("alertmanager")?.isEmpty == true {
            section.fault(at: "alertmanager", "names no address, such as [\"https://am-1.example.com\"]")
        }
        if let urls, let twice = urls.first(where: { url in urls.count { $0 == url } > 1 }) {
            section.fault(at: "alertmanager", "names \(Secret(twice).hostAndPort ?? "an address") twice")
        }
        guard let urls, !urls.isEmpty else { return nil }
        self.init(urls: urls.map { Secret($0) }, labels: labels ?? [:], credentials: credentials)
    }

    private static func labels(_ section: Section) -> [String: String] {
        var labels: [String: String] = [:]
        for (name, item) in section.entries() {
            if name.wholeMatch(of: /[a-zA-Z_][a-zA-Z0-9_]*/) == nil {
                let meant = name.replacing(/[^a-zA-Z0-9_]/, with: "_")
                let hint = meant.prefixMatch(of: /[a-zA-Z_]/) == nil ? "" : ": write \(meant)"
                item.fault("a label's name is letters, digits and _, and no digit first\(hint)")
            } else if Alertmanagers.ownLabels.contains(name) {
                item.fault("is a label of every alert already, by which Alertmanager knows it: take another name")
            } else {
                labels[name] = item.read(.name(upTo: 200))
            }
        }
        return labels
    }
}

extension Scalar where Value == String {
    /// The base URL of an Alertmanager, without a slash at its end.
    fileprivate static func alertmanager(allowHTTP: Bool) -> Scalar {
        Scalar("an address such as https://am-1.example.com, or a list") { text throws(Unfit) in
            guard let url = try Scalar.url(allowHTTP: allowHTTP).parse(text) else { return nil }
            if url.contains("?") || url.contains(/\/api(\/|$)/) {
                throw Unfit(
                    reason: "must be the base URL alone, without /api/v2/alerts and without a query, such as "
                        + "https://am-1.example.com or https://example.com/alertmanager")
            }
            return url.withoutEndingSlashes
        }
    }
}
