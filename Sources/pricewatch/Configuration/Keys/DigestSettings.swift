extension Configuration {
    /// The daily summary.
    struct Digest: Hashable, Sendable {
        /// `at`: in `timezone`.
        var at = TimeOfDay(hour: 7, minute: 0)
        /// `notify`: the channels it also goes to; the log always gets it.
        var notify: [String] = []
    }

    /// `heartbeat`: a GET after a poll that brought prices, for an outside watcher.
    struct Heartbeat: Hashable, Sendable {
        /// `url`: a secret, since whoever knows it can pretend that all is well.
        var url: Secret
        /// `every`: not more often than this. From 1 s on.
        var every: Duration = .seconds(300)
        /// `allow_http`: plain http to other machines, too.
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
