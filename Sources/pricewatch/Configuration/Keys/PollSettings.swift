import Markets

extension Configuration {
    struct Poll: Hashable, Sendable {
        /// `every`: at least 1 s; nil: by plan, see `Configuration.interval`.
        var every: Duration?
        /// `timeout`: of a whole request, from name resolution to the last byte.
        var timeout: Duration = .seconds(20)
        /// `retry`: within one poll.
        var retry = Retry()
        /// `stale_after`: nil: the longer of 15 minutes and 3 × every, see `Configuration.staleness(of:)`.
        var staleAfter: Duration?
        /// `confirm_moves_over`: a larger move needs confirmation by the next poll; nil: none does.
        var confirmMovesOver: Percent? = Percent(hundredths: 20_00)

        struct Retry: Hashable, Sendable {
            /// `attempts`: requests per page in one poll, including the first. 1 to 10.
            var attempts = 3
            /// `base`: the longest delay before the second request; doubles with each further one.
            var base: Duration = .seconds(1)
            /// `cap`: the limit of the delay.
            var cap: Duration = .seconds(30)
        }
    }
}

extension Configuration.Poll {
    init(_ section: Section) {
        self.init()
        every = section.value("every", .interval)
        timeout = section.value("timeout", .duration(atLeast: .milliseconds(1))) ?? timeout
        if let named = section.section("retry") { retry = Retry(named) }
        staleAfter = section.value("stale_after", .duration(atLeast: .seconds(1)))
        confirmMovesOver = section.optional("confirm_moves_over", .percent, default: confirmMovesOver)
        section.finish()
    }
}

extension Configuration.Poll.Retry {
    fileprivate init(_ section: Section) {
        self.init()
        attempts = section.value("attempts", .integer(1...10)) ?? attempts
        base = section.value("base", .duration(atLeast: .milliseconds(1))) ?? base
        cap = section.value("cap", .duration(atLeast: .milliseconds(1))) ?? cap
        if cap < base {
            let key = section.holds("cap") ? "cap" : "base"
            section.fault(at: key, "the cap of \(cap.unitsText) is shorter than the base of \(base.unitsText)")
        }
        section.finish()
    }
}

extension Configuration {
    struct Log: Hashable, Sendable {
        /// `file`: absolute; nil: standard error only. Default: `pricewatch.log` in the log folder.
        var file: String?
        /// `level`: the lowest level written; alerts and the service's start and stop are written at every level.
        var level: Level = .info
        /// `format`: of the file's lines.
        var format: Format = .text

        enum Level: String, Hashable, Sendable, CaseIterable {
            case debug, info, warning, error
        }

        enum Format: String, Hashable, Sendable, CaseIterable {
            case text, json
        }
    }
}

extension Configuration.Log {
    init(_ section: Section, defaults: Self) {
        self = defaults
        file = section.optional("file", .path, default: file)
        level = section.value("level", .word(Level.self)) ?? level
        format = section.value("format", .word(Format.self)) ?? format
        section.finish()
    }
}
