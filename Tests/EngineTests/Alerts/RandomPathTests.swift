import Foundation
import Markets
import Testing

@testable import Engine

/// Random price paths, with polls that bring nothing and with restarts, through every kind of rule.
@Suite struct RandomPathTests {
    /// Of each seed.
    static let paths = 5_000
    static let length = 40

    @Test(
        "never firing twice without resolved between, nothing from unknown data, the same with and without restarts",
        arguments: [42, 43] as [UInt64])
    func lawsHold(seed: UInt64) async {
        var random = Dice(state: seed)
        var fired = 0
        for path in 0..<Self.paths {
            await Task.yield()  // the tests beside it share two threads
            let rule = Self.rule(&random)
            let polls = Self.polls(&random)
            var calm = AlertStage(rule)
            var restarted = AlertStage(rule)
            var past: [(Date, AlertStage.Poll)] = []
            var isFiring = false
            for poll in polls {
                let now = calm.now
                if random.below(8) == 0 { restarted.restart(recalling: past) }
                let events = calm.cycle(poll)
                let again = restarted.cycle(poll)
                guard events == again else {
                    Issue.record("path \(path), \(rule): \(events) undisturbed, \(again) with restarts, at \(now)")
                    return
                }
                if !rule.condition.isAboutData, poll == .failed || poll == .null, !events.isEmpty {
                    Issue.record("path \(path), \(rule): \(events) from unknown data")
                    return
                }
                for event in events {
                    let fault: Bool
                    switch event.kind {
                    case .pending: fault = isFiring
                    case .firing:
                        fault = isFiring
                        isFiring = true
                        fired += 1
                    case .reminder: fault = !isFiring
                    case .resolved:
                        fault = !isFiring
                        isFiring = false
                    }
                    if fault {
                        Issue.record("path \(path), \(rule): \(event.kind) while firing is \(isFiring)")
                        return
                    }
                }
                past.append((now, poll))
                calm.now = now + AlertStage.every
                restarted.now = calm.now
            }
        }
        // Paths on which nothing ever happens would prove nothing.
        #expect(fired > Self.paths)
    }

    private static func rule(_ random: inout Dice) -> AlertRule {
        let level = price("\(95 + random.below(10))")
        let window = Duration.minutes(3 + random.below(12))
        let percent = Percent(hundredths: Int64(50 + random.below(400)))
        let condition: AlertRule.Condition =
            switch random.below(9) {
            case 0: .above(level)
            case 1: .below(level)
            case 2: .outside(low: price("97"), high: price("103"))
            case 3: .rises(percent, within: window)
            case 4: .falls(percent, within: window)
            case 5: .moves(percent, within: window)
            case 6: .newHigh(window)
            case 7: .newLow(window)
            default: .stale(.minutes(2))
            }
        return bitcoinRule(
            condition, holdFor: random.below(3) == 0 ? .minutes(2) : .zero,
            keepFiringFor: random.below(3) == 0 ? .minutes(2) : .zero,
            repeatEvery: random.below(3) == 0 ? .minutes(4) : nil, repeatOnMove: random.below(3) == 0 ? 1 : nil,
            once: random.below(8) == 0)
    }

    private static func polls(_ random: inout Dice) -> [AlertStage.Poll] {
        var price = 100.0
        return (0..<length).map { index in
            switch index == 0 ? 9 : random.below(12) {
            case 0: return .null
            case 1: return .failed
            case 2: return .unchanged
            default:
                price *= 1 + (Double(random.below(2001)) - 1000) / 50_000
                return .price(String(format: "%.2f", price))
            }
        }
    }
}

/// Numbers that are the same in every run.
struct Dice {
    var state: UInt64

    mutating func below(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(bound))
    }
}
