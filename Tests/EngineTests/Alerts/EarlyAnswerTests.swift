import Foundation
import Markets
import Testing

@testable import Engine

/// Answers never come exactly an interval apart.
@Suite struct EarlyAnswerTests {
    private func events(_ rule: AlertRule, _ interval: Duration, at seconds: [Double]) -> [Double] {
        var state = AlertState.inactive
        return seconds.filter { second in
            let verdict = verdict(
                on: rule, from: state, seeing: .price(price("11"), among: nil), longestStep: interval * 3,
                now: moment(second))
            state = verdict.state
            return [.firstFiring, .repeatInterval].contains(verdict.reason)
        }
    }

    @Test("what is to last five polls does not last six because the first answer took longer")
    func holdFor() {
        let rule = bitcoinRule(.above(price("10")), holdFor: .minutes(5))
        #expect(events(rule, .minutes(1), at: [0.4, 60, 120, 180, 240, 300, 360]) == [300])
        #expect(events(rule, .minutes(1), at: [1.4, 60, 120, 180, 240, 300, 360]) == [360], "a second at most")
    }

    @Test("nor does a reminder come a poll late")
    func repeats() {
        let rule = bitcoinRule(.above(price("10")), repeatEvery: .seconds(20))
        #expect(events(rule, .seconds(10), at: [0.02, 10, 20, 30.01, 40, 50, 60]) == [0.02, 20, 40, 60])
        #expect(events(rule, .seconds(1), at: [0.2, 20, 20.3]) == [0.2, 20.3], "a tenth of an interval at most")
    }
}
