import Foundation
import Markets
import Testing

@testable import Engine

@Suite struct SilenceTests {
    private func silence(_ rule: String?, market id: String? = nil, until second: Double) -> Silence {
        Silence(id: 1, rule: rule, market: id.map(market), since: moment(), until: moment(second))
    }

    @Test(
        "events of a silenced rule say until when",
        arguments: [
            ("r", nil, true), (nil, nil, true), ("r", "bitcoin", true), ("other", nil, false), ("r", "ethereum", false),
        ] as [(String?, String?, Bool)])
    func silencedUntil(rule: String?, id: String?, isSilenced: Bool) {
        var stage = AlertStage(bitcoinRule(.above(price("10"))))
        stage.book.silences = [silence(rule, market: id, until: 600)]
        let events = stage.cycle("11")
        #expect(events.map(\.kind) == [.firing])
        #expect(events.map(\.silencedUntil) == [isSilenced ? moment(600) : nil])
    }

    @Test("when a silence ends while the alert still fires, one message says so")
    func ends() {
        var stage = AlertStage(bitcoinRule(.above(price("10"))))
        stage.book.silences = [silence("r", until: 90)]
        #expect(stage.play(["11", "12", "13", "14"]) == ["firing:first_firing", "", "reminder:silence_ended", ""])
    }

    @Test("a silence that ends unneeded says nothing, nor one under a longer one")
    func endsQuietly() {
        var stage = AlertStage(bitcoinRule(.above(price("10"))))
        stage.book.silences = [silence("r", until: 90)]
        #expect(stage.play(["11", "9", "9"]) == ["firing:first_firing", "resolved:condition_ended", ""])
        stage = AlertStage(bitcoinRule(.above(price("10"))))
        stage.book.silences = [silence("r", until: 90), silence(nil, until: 1000)]
        #expect(stage.play(["11", "12", "13"]) == ["firing:first_firing", "", ""])
        #expect(stage.book.silences.count == 1)
    }

    @Test("the ended silence is named once, to be forgotten with the poll")
    func isForgotten() {
        var stage = AlertStage(bitcoinRule(.above(price("10"))))
        stage.book.silences = [silence("r", until: 0)]
        let first = stage.book.evaluate(stage.board, at: .init(now: moment(60), interval: .minutes(1)))
        let second = stage.book.evaluate(stage.board, at: .init(now: moment(120), interval: .minutes(1)))
        #expect(first.endedSilences == [1])
        #expect(second.endedSilences.isEmpty)
    }
}
