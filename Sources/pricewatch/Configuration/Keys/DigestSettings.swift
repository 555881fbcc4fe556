import Markets

extension Configuration {
    /// The daily summary.
    struct Digest: Hashable, Sendable {
        /// `at`: in `timezone`.
        var at = TimeOfDay(hour: 7, minute: 0)
        /// `notify`: the channels; the digest is always logged, too.
        var notify: [String] = []
    }

    /// `heartbeat`: a GET after a poll with prices, for external monitoring.
    struct Heartbeat: Hashable, Sendable {
        /// `url`: a secret, since anyone who knows it can fake the heartbeat.
        var url: Secret
        /// `every`: the shortest time between two requests. At least 1 s.
        var every: Duration = .seconds(300)
        /// `allow_http`: allows plain http to other machines.
        var allowHTTP = false
    }
}

extension Configuration.Digest {
    init(_ section: Section, channels: ChannelNames) {
        self.init()
        at = section.value("at", .timeOfDay) ?? at
        notify = channels.read(section, "notify") ?? notify
        section.finish()
    }
}

extension Configuration.Heartbeat {
    init?(_ section: Section) {
        let allowHTTP = section.value("allow_http", .boolean) ?? false
        let url = section.secretURL("url", .plain(allowHTTP: allowHTTP))
        let every = section.value("every", .interval)
        section.finish()
        guard let url else {
            if !section.holds("url") { section.fault("needs a url") }
            return nil
        }
        self.init(url: url, allowHTTP: allowHTTP)
        if let every { self.every = every }
    }
}
