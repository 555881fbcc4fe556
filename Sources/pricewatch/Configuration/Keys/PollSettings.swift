import Markets

extension Configuration {
    struct Poll: Hashable, Sendable {
        /// `every`: from 1 s on; nil: by plan, see `Configuration.interval`.
        var every: Duration?
        /// `timeout`: of a whole request, from the name's resolution to the last byte.
        var timeout: Duration = .seconds(20)
        /// `retry`: within one poll.
        var retry = Retry()
        /// `stale_after`: nil: the longer of 15 minutes and 3 × every, see `Configuration.staleness(of:)`.
        var staleAfter: Duration?
        /// `confirm_moves_over`: a larger move waits for the next poll; nil: none does.
        var confirmMovesOver: Percent? = Percent(hundredths: 20_00)

        struct Retry: Hashable, Sendable {
            /// `attempts`: requests a page in one poll, the first included. 1 to 10.
            var attempts = 3
            /// `base`: the longest delay before the second request; doubles from one to the next.
            var base: Duration = .seconds(1)
            /// `cap`: beyond which it does not grow.
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
