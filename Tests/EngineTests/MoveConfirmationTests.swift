import Foundation
import Markets
import Testing

@testable import Engine

/// One market, polled once a minute; moves over 20 % wait for the next poll.
@Suite struct MoveConfirmationTests {
    /// What a poll brings, and what the market shows after it.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        /// `100` a price of this moment, `=` the newest quote again, `304` not modified, `?` null, `-` not answered,
        /// `x` a failed poll, `<` the quote before the newest again.
        let polls: String
        /// `100` trusted, `100*` trusted and another one unconfirmed, `-` nothing to show.
        let shown: String
        /// What is trusted in the end, of all that was recorded.
        let trusted: String

        init(_ name: String, _ polls: String, _ shown: String, trusted: String) {
            self.name = name
            self.polls = polls
            self.shown = shown
            self.trusted = trusted
        }

        var testDescription: String { name }
    }

    static let rows = [
        Row("the first price ever", "100 101", "100 101", trusted: "100 101"),
        Row("one bad price", "100 100000 101", "100 100* 101", trusted: "100 101"),
        Row("one price near nothing", "100 0.1 99", "100 100* 99", trusted: "100 99"),
        Row("a true crash", "100 40 39", "100 100* 39", trusted: "100 40 39"),
        Row(
            "a true rise, on which a bad price follows", "100 200 400000 205", "100 100* 200* 205",
            trusted: "100 200 205"),
        Row("exactly the limit", "100 120 96", "100 120 96", trusted: "100 120 96"),
        Row("just over it, up", "100 120.0000000000001 121", "100 100* 121", trusted: "100 120.0000000000001 121"),
        Row("just over it, down", "100 79.99999999999999 79", "100 100* 79", trusted: "100 79.99999999999999 79"),
        Row("in the middle of both, the trusted one holds", "100 150 125 101", "100 100* 100* 101", trusted: "100 101"),
        Row("to and fro", "100 200 100 200 100", "100 100* 100 100* 100", trusted: "100 100 100"),
        Row("three that disagree", "100 1000 10 300 301", "100 100* 100* 300 301", trusted: "100 300 301"),
        // Each confirms the one before. Also after a restart, as the history tells no more.
        Row(
            "each is further", "100 200 400 800 810", "100 100* 200* 400* 810", trusted: "100 200 400 800 810"),
        Row("a fall that goes on", "100 60 35 30", "100 100* 60* 30", trusted: "100 60 35 30"),
        Row("a null in between", "100 40 ? 39", "100 100* - 39", trusted: "100 40 39"),
        Row("a null in between, after a bad price", "100 4000 ? 99", "100 100* - 99", trusted: "100 99"),
        Row("no answer in between", "100 40 - 39", "100 100* - 39", trusted: "100 40 39"),
        Row("the same quote again is no second opinion", "100 4000 = 99", "100 100* 100* 99", trusted: "100 99"),
        Row("nor is not modified", "100 4000 304 99", "100 100* 100* 99", trusted: "100 99"),
        Row("nor is an older quote", "100 4000 < 99", "100 100* 100* 99", trusted: "100 99"),
        Row("a quote that stays is believed in the end", "100 40 = = 39", "100 100* 100* 40 39", trusted: "100 40 39"),
        Row("also where it is not modified", "100 40 304 304", "100 100* 100* 40", trusted: "100 40"),
        Row("a failed poll in between", "100 40 x 39", "100 100* 100* 39", trusted: "100 40 39"),
        Row("many failed polls in between", "100 4000 x x x 70", "100 100* 100* 100* 100* 70", trusted: "100 70"),
        Row(
            "many failed polls after a true move", "100 40 x x x 20", "100 100* 100* 100* 100* 20", trusted: "100 40 20"
        ),
        Row("what was seen long ago is no measure", "100 x x 40", "100 100 100 40", trusted: "100 40"),
        Row("what was seen a while ago is", "100 x 40 41", "100 100 100* 41", trusted: "100 40 41"),
        Row("a price that stood is fresh", "100 = = = = 40 41", "100 100 100 100 100 100* 41", trusted: "100 40 41"),
        Row("back after it was missing", "100 - 40 41", "100 - 100* 41", trusted: "100 40 41"),
        Row("back after it was missing for long", "100 - - 40", "100 - - 40", trusted: "100 40"),
    ]

    @Test(arguments: rows)
    func table(row: Row) {
        var play = Play(limit: percent(20))
        #expect(play.play(row.polls) == row.shown)
        #expect(play.trusted == row.trusted)
    }

    @Test(
        "a restart after any poll changes nothing",
        arguments: rows.filter { row in
            !row.polls.contains("304") && row.polls.allSatisfy { $0.isNumber || " .x".contains($0) }
        })
    func restarted(row: Row) {
        var play = Play(limit: percent(20))
        let shown = row.polls.split(separator: " ").map { poll in
            defer { play.restart() }
            return play.play(String(poll))
        }
        #expect(shown.joined(separator: " ") == row.shown)
        #expect(play.trusted == row.trusted)
    }

    @Test("without a limit every move is believed at once", arguments: rows)
    func off(row: Row) {
        var play = Play(limit: nil)
        #expect(!play.play(row.polls).contains("*"))
        #expect(play.moves.isEmpty)
    }

    @Test(
        "what waits is told of, and what became of it",
        arguments: [
            ("100 100000 101", ["unconfirmed 100000 100", "rejected 100000 100"]),
            ("100 40 39", ["unconfirmed 40 100", "confirmed 40 100"]),
            ("100 40 = 39", ["unconfirmed 40 100", "confirmed 40 100"]),
            ("100 40 304 304", ["unconfirmed 40 100", "confirmed 40 100"]),
            (
                "100 1000 10 300",
                [
                    "unconfirmed 1000 100", "rejected 1000 100", "unconfirmed 10 100", "rejected 10 100",
                ]
            ),
            (
                "100 60 35 30",
                [
                    "unconfirmed 60 100", "confirmed 60 100", "unconfirmed 35 60", "confirmed 35 60",
                ]
            ),
        ])
    func told(polls: String, words: [String]) {
        var play = Play(limit: percent(20))
        _ = play.play(polls)
        #expect(play.moves.map { "\($0.stage) \($0.price.price) \($0.trusted)" } == words)
    }

    @Test("a market that is watched for its rank goes on waiting, and so does one whose board begins anew")
    func ranked() {
        let limit = percent(20)
        func watchlist(_ named: [Watchlist.Item] = []) -> Watchlist {
            Watchlist(
                named: named, top: 1, staleness: .init(after: .minutes(15)), moveLimit: limit,
                lastRanking: [market("bitcoin")], currencies: .init(usd()))
        }
        var board = MarketBoard(watching: watchlist())
        for (minute, text) in ["100", "4000"].enumerated() {
            let at = moment(Double(minute) * 60)
            var answer = answer(quote("bitcoin", text, at: at), at: at)
            answer.ranking = [market("bitcoin")]
            _ = board.apply(answer)
        }
        #expect(board[market("bitcoin")]?.reason == .unconfirmed)
        var next = MarketBoard(watching: watchlist())
        next.resume(board)
        for var board in [board, next] {
            let update = board.apply(answer(quote("bitcoin", "101", at: moment(120)), at: moment(120)))
            #expect(update.moves.map(\.stage) == [.rejected])
            #expect(board[market("bitcoin")]?.shown?.price == price("101"))
        }
    }

    @Test("rules see trusted prices alone, and a window what was borne out, too")
    func rules() {
        var stage = AlertStage(bitcoinRule(.falls(percent(50), within: .minutes(10))), moveLimit: percent(20))
        let quiet: [AlertStage.Poll] = Array(repeating: "100", count: 10)
        #expect(stage.play(quiet + ["0.1", "100"]).joined() == "")
        #expect(stage.play(["40", "45"]) == ["", "firing:first_firing"])
        // The lowest is the 40 that nobody was told of when it came.
        var risen = AlertStage(bitcoinRule(.rises(percent(25), within: .minutes(10))), moveLimit: percent(20))
        _ = risen.play(Array(repeating: "62", count: 10) + ["40", "45"])
        #expect(risen.play(["51"]) == ["firing:first_firing"])
    }
}

/// Polls a minute apart.
private struct Play {
    private var board: MarketBoard
    private var now = moment()
    private var quotes: [Quote] = []
    private var recorded: [(price: MarketBoard.PriceSample, isTrusted: Bool)] = []
    private(set) var moves: [LargeMove] = []

    private let watchlist: Watchlist

    init(limit: Percent?) {
        watchlist = Watchlist(
            named: [.init(market: market("bitcoin"), staleness: .init(after: .minutes(15)), moveLimit: limit)],
            top: 0, staleness: .init(after: .minutes(15)), currencies: .init(usd()))
        board = MarketBoard(watching: watchlist)
    }

    /// Begins anew with what was recorded.
    mutating func restart() {
        guard let trusted = recorded.last(where: \.isTrusted) else { return }
        var known = MarketBoard.Remembered(symbol: "", name: "", newest: trusted.price)
        for (price, isTrusted) in recorded.reversed() {
            if isTrusted { break }
            known.confirmation.recall(price)
        }
        board = MarketBoard(watching: watchlist, remembering: [market("bitcoin"): known])
    }

    var trusted: String { recorded.filter(\.isTrusted).map(\.price.price.description).joined(separator: " ") }

    mutating func play(_ polls: String) -> String {
        polls.split(separator: " ").map { poll in
            defer { now = now + .minutes(1) }
            if let answer = answer(String(poll)) { take(answer) }
            guard let entry = board[market("bitcoin")], let shown = entry.shown else { return "-" }
            return shown.price.description + (entry.reason == .unconfirmed ? "*" : "")
        }.joined(separator: " ")
    }

    private mutating func answer(_ word: String) -> Answer? {
        switch word {
        case "x": return nil
        case "-": return EngineTests.answer(at: now)
        case "?": return EngineTests.answer(unusable: ["bitcoin": .nullPrice], at: now)
        case "304": return nothingNew(at: now)
        case "=": return EngineTests.answer(quotes[quotes.count - 1], at: now)
        case "<": return EngineTests.answer(quotes[quotes.count - 2], at: now)
        default:
            quotes.append(quote("bitcoin", word, at: now))
            return EngineTests.answer(quotes[quotes.count - 1], at: now)
        }
    }

    private mutating func take(_ answer: Answer) {
        let update = board.apply(answer)
        moves += update.moves
        for move in update.moves where move.stage == .confirmed {
            for place in recorded.indices where recorded[place].price.fetchedAt == move.price.fetchedAt {
                recorded[place].isTrusted = true
            }
        }
        for sample in update.samples {
            let price = MarketBoard.PriceSample(
                price: sample.price, quotedAt: sample.quotedAt, fetchedAt: answer.fetchedAt, feed: "test")
            recorded.append((price, sample.confirmed))
        }
    }
}
