import Foundation
import Markets
import Synchronization
import Testing

@testable import MarketSimulator

/// A clock that a test steps by hand.
private final class StoppedClock: Sendable {
    private let time = Mutex(Date(milliseconds: 1_795_000_000_000))
    var now: Date { time.withLock(\.self) }
    func advance(by duration: Duration) { time.withLock { $0 = $0 + duration } }
}

@Suite struct RevalidationTests {
    @Test func answersCarryWhatACacheNeeds() async throws {
        try await withSimulator(.start()) { simulator async throws in
            let headers = try await get(simulator.marketsURL).headers
            #expect(headers["cache-control"] == "max-age=30, public, must-revalidate, s-maxage=60")
            #expect(headers["etag"]?.wholeMatch(of: /W\/"[0-9a-f]+"/) != nil)
        }
    }

    @Test func pricesThatStandStillAreNotSentAgain() async throws {
        let clock = StoppedClock()
        try await withSimulator(.start(stepsEvery: .seconds(60), now: { clock.now })) { simulator async throws in
            let first = try await get(simulator.marketsURL)
            let tag = try #require(first.headers["etag"])
            clock.advance(by: .seconds(59))
            #expect(try await get(simulator.marketsURL).text == first.text)
            let unchanged = try await get(simulator.marketsURL, headers: ["If-None-Match": tag])
            #expect(unchanged.status == 304)
            #expect(unchanged.body.isEmpty)
            #expect(unchanged.headers["etag"] == tag)
            clock.advance(by: .seconds(2))
            let changed = try await get(simulator.marketsURL, headers: ["If-None-Match": tag])
            #expect(changed.status == 200)
            #expect(changed.priceTexts.first == simulator.price(of: bitcoin, step: 1)?.description)
        }
    }

    @Test func withoutARestEachAnswerIsNew() async throws {
        try await withSimulator(.start()) { simulator async throws in
            let tag = try #require(try await get(simulator.marketsURL).headers["etag"])
            #expect(try await get(simulator.marketsURL, headers: ["If-None-Match": tag]).status == 200)
        }
    }
}

@Suite struct WalkTests {
    private let begin = Date(milliseconds: 1_795_000_000_000)

    @Test func eachFirstPageMakesAStep() {
        var state = Walk(stepsEvery: nil)
        let steps = [false, true, false, true, true, false].enumerated().map { second, isFirstPage in
            state.position(isFirstPage: isFirstPage, now: begin + .seconds(second)).step
        }
        #expect(steps == [0, 0, 0, 1, 2, 2])
        #expect(state.position(isFirstPage: false, now: begin + .hours(1)).since == begin + .seconds(4))
    }

    @Test func withARestTimeMakesTheSteps() {
        var state = Walk(stepsEvery: .seconds(10))
        let seconds = [0, 9, 10, 35, 20, 40]
        let positions = seconds.map { state.position(isFirstPage: true, now: begin + .seconds($0)) }
        #expect(positions.map(\.step) == [0, 0, 1, 3, 3, 4])
        #expect(positions.map(\.since) == [0, 0, 10, 30, 30, 40].map { begin + .seconds($0) })
    }
}
