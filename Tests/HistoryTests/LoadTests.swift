import Foundation
import Markets
import Testing

@testable import Engine
@testable import History

@Suite struct LoadTests {
    private let folder: TemporaryFolder
    private let writer: HistoryWriter

    init() throws {
        folder = try TemporaryFolder()
        writer = try HistoryWriter(at: folder.database)
    }

    private static let stocks = SourceID.own("stocks")

    /// Two sources: `a` and `b` are asked of the feeds in order, `share` is asked of `stocks` alone.
    private func settings(
        _ rules: [AlertRule] = [], staleAfter: Duration = .minutes(15), top: Int = 0, every: Duration = .minutes(1),
        own: Bool = true
    ) -> Settings {
        func member(_ feed: String, _ ids: String...) -> SourceSettings.Member {
            SourceSettings.Member(feed: feed, watch: Watch(ids.map(market), currency: usd()), every: every)
        }
        let shared = SourceSettings(id: .shared, members: [member("test", "a", "b")], every: every, limit: .seconds(50))
        let stocks = SourceSettings(
            id: Self.stocks, members: [member("stocks", "share")], every: .minutes(5), limit: .seconds(50))
        var named = ["a", "b"].map { Watchlist.Item(market: market($0), staleness: .init(after: staleAfter)) }
        if own { named.append(.init(market: market("share"), staleness: .init(after: .hours(1)), source: Self.stocks)) }
        return Settings(
            host: "box",
            watchlist: Watchlist(named: named, top: top, staleness: .init(after: staleAfter), currencies: .init(usd())),
            sources: own ? [shared, stocks] : [shared], feeds: ["test", "stocks"], rules: rules, routing: Routing(),
            deadline: .seconds(50))
    }

    private func share(_ second: Double, _ text: String, outcome: PollOutcome = .ok) -> PollRecord {
        PollRecord(
            at: moment(second), fetchedAt: moment(second + 2), feed: "stocks", source: Self.stocks, currency: usd(),
            outcome: outcome, samples: outcome == .ok ? [sample("share", text, quotedAt: second)] : [])
    }

    @Test("a new database remembers nothing")
    func new() throws {
        let remembered = try writer.load(settings(), at: moment())
        #expect(remembered.board.markets.map(\.text) == ["a", "b", "share"])
        #expect(remembered.board.entries.allSatisfy { $0.newest == nil })
        #expect(remembered.sources == [.shared: .init(), Self.stocks: .init()])
        #expect(remembered.firstPoll == nil && remembered.lastCycle == nil && remembered.lastDigest == nil)
        #expect(remembered.queued.isEmpty && remembered.notified.isEmpty && remembered.unlogged.isEmpty)
        #expect(remembered.active.firing.isEmpty && remembered.active.pending.isEmpty)
        #expect(remembered.alerts.identity.installation == writer.installation)
        #expect(remembered.stored.samples == 0 && remembered.stored.database == folder.database)
        #expect(remembered.fault == nil)
    }

    @Test("a database that cannot be opened remembers nothing, and why")
    func unopened() throws {
        let place = folder.path + "/place"
        try Data().write(to: URL(fileURLWithPath: place))
        let writer = try HistoryWriter(at: place + "/history.db")
        let remembered = try writer.load(settings(), at: moment())
        #expect(remembered.fault == writer.fault?.description)
        #expect(remembered.fault != nil)
        #expect(remembered.alerts.identity.installation == writer.installation)
    }

    @Test("a database that turns out to be damaged when it is read is quarantined")
    func damaged() throws {
        try writer.commit(poll(0, sample("a", "1", quotedAt: 0)))
        try writer.queue.write { try $0.execute(sql: "UPDATE poll SET fetched_at = 'x'") }
        let remembered = try writer.load(settings(), at: moment(60))
        #expect(remembered.board[market("a")]?.newest == nil)
        #expect(remembered.fault == nil)
        #expect(writer.commit(Commit()).quarantined.map(\.path) == writer.quarantinedDatabases())
        #expect(writer.quarantinedDatabases().count == 1)
    }

    @Test("each source's markets come back with what its own answers said last")
    func board() throws {
        var first = poll(0, sample("a", "1", quotedAt: -10), sample("b", "2", quotedAt: 0))
        first.watched = WatchedMarkets(["a", "b", "share"].map(market), currencies: .init(.usd))
        try writer.commit(first, share(0, "100"))
        for second in [60.0, 120] {
            var unchanged = poll(second, outcome: .partial)
            unchanged.unknown = [(market("b"), .nullPrice)]
            try writer.commit(unchanged)
        }
        try writer.commit(share(300, "", outcome: .failed))
        let remembered = try writer.load(settings(), at: moment(400))
        let (a, b) = (remembered.board[market("a")], remembered.board[market("b")])
        #expect(a?.newest?.price == price("1") && a?.newest?.quotedAt == moment(-10))
        #expect(a?.newest?.fetchedAt == moment(121), "an answer in which nothing was new spoke of it")
        #expect(b?.newest?.fetchedAt == moment(1))
        #expect([a?.missedAnswers, b?.missedAnswers] == [0, 2])
        #expect(remembered.board[market("share")]?.newest?.feed == "stocks")
        #expect(remembered.board[market("share")]?.newest?.fetchedAt == moment(2))
        #expect(
            remembered.sources == [
                .shared: .init(last: moment(120), lastUsable: moment(120)),
                Self.stocks: .init(last: moment(300), lastUsable: moment(0)),
            ])
        #expect(remembered.firstPoll == moment(0))
        #expect(remembered.lastCycle == moment(300))
        #expect(remembered.stored.samples == 3)
    }

    @Test("a command's board knows the watched markets alone, the daemon's also those that may come back")
    func ranking() throws {
        var record = poll(
            0, sample("a", "1", quotedAt: 0), sample("r", "3", quotedAt: 0), sample("x", "4", quotedAt: 0))
        record.ranking = [market("r")]
        try writer.commit(record)
        let settings = settings(top: 1, own: false)
        let reader = writer.reader
        #expect(try reader.board(settings).markets.map(\.text) == ["a", "b", "r"])
        #expect(try reader.board(settings).everythingKnown[market("x")]?.newest.price == price("4"))
        let asked = try reader.board(settings, onlyWatched: true)
        #expect(asked.markets.map(\.text) == ["a", "b", "r"])
        #expect(asked[market("r")]?.newest?.price == price("3"))
        #expect(asked.everythingKnown[market("x")] == nil)
    }

    @Test("alerts, messages, silences and the digest go on where they were")
    func states() throws {
        let (firing, pending) = (event("e1"), event("e0", .pending, at: -60))
        let state = Alert(
            state: .firing(.init(since: moment(), lastNotified: moment())), condition: "above 10", announcements: 2)
        let message = OutgoingMessage(id: "m", channel: "ops", createdAt: moment(), events: [firing])
        try writer.commit(poll(0, sample("bitcoin", "11.5", quotedAt: 0))) {
            $0.alerts = [firing.key: state]
            $0.events = [pending, firing]
            $0.logged = ["e0"]
            $0.notified = [firing.key: ["phone", "ops"]]
            $0.outbox = [.queue(message)]
            $0.digest = moment(-30)
        }
        try writer.commit {
            $0.idleCycle = (at: moment(90), watched: WatchedMarkets([market("bitcoin")], currencies: .init(.usd)))
        }
        let desk = try CommandDatabase(at: folder.database)
        try desk.silence(rule: "s", market: nil, from: moment(), until: moment(600))
        let rule = AlertRule(name: firing.rule, scope: .all, condition: .above(price("10")))
        let remembered = try writer.load(settings([rule]), at: moment(100))
        var found = state
        found.currency = usd()
        #expect(remembered.alerts.states == [firing.key: found])
        #expect(remembered.alerts.rules == [rule])
        #expect(remembered.alerts.silences.map(\.rule) == ["s"])
        #expect(
            remembered.alerts.identity
                == AlertBook.Identity(installation: writer.installation, host: "box", currency: usd()))
        #expect(remembered.active.firing == [firing])
        #expect(remembered.active.pending.isEmpty)
        #expect(remembered.unlogged == [firing])
        #expect(remembered.notified == [firing.key: ["ops", "phone"]])
        #expect(remembered.queued == [message.queued])
        #expect(remembered.lastDigest == moment(-30))
        #expect(remembered.lastCycle == moment(90))
    }

    // MARK: The summary

    @Test("the summary compares with a day ago, and every source is covered by its own polls")
    func day() throws {
        for minute in stride(from: 0.0, through: 24 * 60, by: 10) {
            let text = "\(100 + Int(minute))"
            try writer.commit(poll(minute * 60, sample("a", text, quotedAt: minute * 60)))
            // Half a day of the other source.
            if minute < 720 { try writer.commit(share(minute * 60, text)) }
        }
        let now = moment(24 * 3600)
        let settings = settings(every: .minutes(10))
        let remembered = try writer.load(settings, at: now)
        let summary = remembered.summary.summary(of: remembered.board, at: now)
        #expect(summary.gainers.map(\.market) == [market("a")])
        #expect(summary.gainers.first?.change == Percent(hundredths: 144_000))
        #expect(summary.unknown == 2)
        #expect(remembered.summary.coverages[.shared]?.share(at: now).hundredths == 10000)
        #expect(remembered.summary.coverages[Self.stocks]?.share(at: now).hundredths == 4930)
        // What was read is not read again with the next poll.
        #expect(remembered.summary.pastNeeded(until: now + .minutes(1), now: now) == nil)
    }

    @Test("a day is counted from quote to quote, however late they came", arguments: [(0.0, 50.0), (50, 0)])
    func oldQuotes(first: Double, newest: Double) throws {
        let day = 24 * 60.0
        try writer.commit(poll(first * 60, sample("a", "100", quotedAt: 0)))
        try writer.commit(poll((day + newest) * 60, sample("a", "150", quotedAt: day * 60)))
        let now = moment((day + newest) * 60)
        let remembered = try writer.load(settings(staleAfter: .hours(1)), at: now)
        let change = remembered.summary.summary(of: remembered.board, at: now).gainers.first?.change
        #expect(change == Percent(hundredths: 5000))
    }

    @Test("polls that a quota kept apart cover the time between them")
    func intervals() throws {
        for hour in 0...24 {
            var record = poll(Double(hour) * 3600, outcome: .unchanged)
            record.interval = .hours(1)
            try writer.commit(record)
        }
        let summary = try writer.reader.rollingSummary(settings(own: false), at: moment(24 * 3600))
        #expect(summary.coverages[.shared]?.share(at: moment(24 * 3600)).hundredths == 10000)
    }

    @Test("a window that reaches beyond the samples is answered from the hourly candles")
    func candles() async throws {
        for step in 0...(10 * 144) {
            let second = Double(step) * 600
            try writer.commit(poll(second, sample("a", "\(1000 + step)", quotedAt: second)))
        }
        let now = moment(240 * 3600)
        _ = try await writer.prune(to: Retention(samples: .hours(48)), now: now)
        let reader = try HistoryReader(at: folder.database)
        let settings = settings(every: .minutes(10), own: false)
        let board = try reader.board(settings, onlyWatched: true)
        let summary = try reader.rollingSummary(settings, window: .hours(7 * 24), at: now).summary(of: board, at: now)
        #expect(summary.up == 1)
        // From 1432 to 2440; the hour's edges are the hour's first and last price.
        #expect(summary.gainers.first?.change == Percent(hundredths: 7039))
        #expect(summary.coverage.hundredths >= 9900)
        #expect(summary.watchedSince == nil, "candles remember what samples no longer do")
    }

    @Test("watching began with the first poll ever, whatever gaps followed")
    func beginning() throws {
        func since(_ hour: Double) throws -> Date? {
            let remembered = try writer.load(settings(), at: moment(hour * 3600))
            return remembered.summary.summary(of: remembered.board, at: moment(hour * 3600)).watchedSince
        }
        #expect(try since(0) == nil)
        try writer.commit(poll(0, sample("a", "1", quotedAt: 0)))
        #expect(try since(1) == moment(0))
        try writer.commit(poll(20 * 3600, sample("a", "1", quotedAt: 20 * 3600)))
        #expect(try since(23) == moment(0))
        try writer.commit(poll(90 * 3600, sample("a", "1", quotedAt: 90 * 3600)))
        #expect(try since(91) == nil, "a gap of days is no first day")
    }

    @Test("a candle adds nothing to an hour whose polls are all kept: no earlier price, no earlier beginning")
    func firstHour() throws {
        let began = 28 * 60.0
        for second in stride(from: began, through: 85_080, by: 600) {
            try writer.commit(poll(second, sample("a", "\(1000 + second)", quotedAt: second)))
        }
        // The first price is 50 minutes off a day before the newest one, the start of its hour 22.
        let now = moment(85_100)
        let remembered = try writer.load(settings(every: .minutes(10)), at: now)
        let summary = remembered.summary.summary(of: remembered.board, at: now)
        #expect(summary.gainers.isEmpty && summary.watchedSince == moment(began))
    }

    @Test("an hour's candle speaks for the source of its market alone")
    func candlesOfSources() async throws {
        for step in 0...(3 * 144) {
            let second = Double(step) * 600
            try writer.commit(poll(second, sample("a", "\(1000 + step)", quotedAt: second)))
            if step < 144 { try writer.commit(share(second, "\(1000 + step)")) }
        }
        let now = moment(72 * 3600)
        _ = try await writer.prune(to: Retention(samples: .hours(24)), now: now)
        let summary = try writer.reader.rollingSummary(settings(every: .minutes(10)), window: .hours(72), at: now)
        #expect(try #require(summary.coverages[.shared]).share(at: now).hundredths >= 9900)
        let share = try #require(summary.coverages[Self.stocks]).share(at: now).hundredths
        #expect((3100...3400).contains(share))
    }

    // MARK: The windows of the rules

    /// The events of a rule that are due with a price of `a` at `second`, after what is recorded.
    private func events(
        _ condition: AlertRule.Condition, _ text: String, at second: Double, staleAfter: Duration = .minutes(15),
        every: Duration = .minutes(1)
    ) throws -> [AlertEvent] {
        let rule = AlertRule(name: "r", scope: .markets([market("a")]), condition: condition)
        let settings = settings([rule], staleAfter: staleAfter, every: every, own: false)
        var board = try writer.reader.board(settings)
        var book = try writer.reader.alertBook(
            remembering: [:], installation: "i", settings, watching: board.markets, at: moment(second))
        var answer = Answer(fetchedAt: moment(second))
        answer.quotes = [
            Quote(
                market: market("a"), symbol: "a", name: "A", currency: usd(), price: price(text),
                quotedAt: moment(second))
        ]
        _ = board.apply(answer, from: "test")
        return book.evaluate(board, at: .init(now: moment(second), interval: every)).events
    }

    private func recordMinutes(_ minutes: some Sequence<Double>, _ text: (Double) -> String?) throws {
        for minute in minutes {
            var record = poll(minute * 60, outcome: .unchanged)
            if let text = text(minute) { record = poll(minute * 60, sample("a", text, quotedAt: minute * 60)) }
            record.watched = WatchedMarkets([market("a"), market("b")], currencies: .init(.usd))
            try writer.commit(record)
        }
    }

    @Test("before the first answer, too, a price is stale by the interval in force", arguments: [59, 61])
    func staleByInterval(age: Int) throws {
        var record = poll(0, sample("a", "1", quotedAt: 0))
        record.interval = .minutes(20)
        try writer.commit(record)
        var settings = settings(own: false)
        settings.watchlist.named[0].staleness.followsInterval = true
        let board = try writer.load(settings, at: moment(Double(age) * 60)).board
        #expect(board[market("a")]?.state(at: moment(Double(age) * 60)) == (age == 59 ? .fresh : .stale))
    }

    @Test("the windows know what was recorded before the start")
    func windows() throws {
        try recordMinutes(stride(from: 0.0, through: 60, by: 1)) { "\(100 + $0)" }
        #expect(try events(.falls(Percent(hundredths: 500), within: .hours(1)), "150", at: 3660).count == 1)
        #expect(try events(.falls(Percent(hundredths: 700), within: .hours(1)), "150", at: 3660).isEmpty)
        #expect(try events(.newHigh(.hours(1)), "161", at: 3660).count == 1)
        #expect(try events(.newHigh(.hours(1)), "159", at: 3660).isEmpty)
    }

    @Test("a window beyond 48 hours is recalled, too")
    func farWindow() throws {
        try recordMinutes(stride(from: 0.0, through: 72 * 60, by: 10)) { $0 == 600 ? "200" : "100" }
        func falls(within hours: Int) throws -> Int {
            try events(
                .falls(Percent(hundredths: 4000), within: .hours(hours)), "100", at: 72 * 3600 + 600,
                every: .minutes(10)
            ).count
        }
        #expect(try falls(within: 70) == 1)
        #expect(try falls(within: 50) == 0)
    }

    @Test("of a market that was not watched, silence does not mean unchanged", arguments: [true, false])
    func unwatched(isWatched: Bool) throws {
        for minute in stride(from: 0.0, to: 180, by: 1) {
            var record = poll(minute * 60, outcome: .unchanged)
            if minute == 0 { record = poll(0, sample("a", "100", quotedAt: 0)) }
            let isAway = !isWatched && minute > 60 && minute < 120
            record.watched = WatchedMarkets(
                isAway ? [market("b")] : [market("a"), market("b")], currencies: .init(.usd))
            try writer.commit(record)
        }
        let due = try self.events(
            .rises(Percent(hundredths: 500), within: .hours(3)), "110", at: 180 * 60, staleAfter: .hours(5))
        #expect(due.count == (isWatched ? 1 : 0))
    }

    @Test(
        "a price that was stale at its polls counted as unknown, and does so when it is recalled", arguments: [15, 300])
    func stale(staleAfter: Int) throws {
        // Nothing new for three hours: stale after 15 minutes, and no gap in what was watched.
        try recordMinutes(stride(from: 0.0, to: 180, by: 1)) { $0 == 0 ? "100" : nil }
        let due = try self.events(
            .rises(Percent(hundredths: 500), within: .hours(3)), "110", at: 180 * 60,
            staleAfter: .minutes(staleAfter))
        #expect(due.count == (staleAfter == 15 ? 0 : 1))
    }
}
