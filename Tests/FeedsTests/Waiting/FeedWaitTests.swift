import Foundation
import Markets
import Testing

@testable import Feeds

@Suite("Waits")
struct FeedWaitTests {
    let start = Date(utcText: "2026-11-21T10:00:00Z") ?? .distantPast

    func error(_ kind: FeedError.Kind, _ notBefore: NotBefore? = nil, scope: FeedError.Scope = .feed) -> FeedError {
        var error = FeedError(kind, "no", scope: scope)
        error.notBefore = notBefore
        return error
    }

    @Test func blocksAreProbedAtGrowingIntervals() {
        var wait: StoredCooldown?
        var now = start
        var minutes: [Int64] = []
        for _ in 0..<8 {
            wait = StoredCooldown.after(error(.unauthorized), previous: wait, now: now, mark: 1)
            guard let until = wait?.until else { return }
            minutes.append(until.since(now).inMilliseconds / 60_000)
            now = until
        }
        #expect(minutes == [15, 30, 60, 120, 240, 480, 720, 720])
        #expect(wait?.isBlock == true)
    }

    @Test func aRateLimitThatLastsIsTakenForAnExhaustedMonth() {
        var wait: StoredCooldown?
        var now = start
        var minutes: [Int64] = []
        for _ in 0..<6 {
            let hint = NotBefore(at: now + .seconds(60), isNamed: false)
            wait = StoredCooldown.after(error(.rateLimited, hint), previous: wait, now: now, mark: 1)
            guard let until = wait?.until else { return }
            minutes.append(until.since(now).inMilliseconds / 60_000)
            now = until
        }
        #expect(minutes == [1, 2, 4, 60, 67, 134])
        #expect(wait?.cause == .quota)
        #expect(wait?.since == start)
    }

    @Test func otherErrorsMakeNoWaitUnlessTheProviderNamesOne() {
        #expect(StoredCooldown.after(error(.server), previous: nil, now: start, mark: 1) == nil)
        #expect(StoredCooldown.after(error(.forbidden, scope: .request), previous: nil, now: start, mark: 1) == nil)
        let named = NotBefore(at: start + .seconds(120), isNamed: true)
        let wait = StoredCooldown.after(error(.server, named), previous: nil, now: start, mark: 1)
        #expect(wait?.until == named.at)
        #expect(wait?.namedUntil == named.at)
    }

    @Test func ownCautionEndsWithAnotherKeyAndIsNotForASinglePoll() throws {
        let block = try #require(StoredCooldown.after(error(.blocked), previous: nil, now: start, mark: 1))
        #expect(block.end(start, .all, mark: 1) == start + .minutes(15))
        #expect(block.end(start, .all, mark: 2) == nil)
        #expect(block.end(start, .namedOnly, mark: 1) == nil)
        #expect(block.end(start + .minutes(15), .all, mark: 1) == nil)

        let named = NotBefore(at: start + .seconds(120), isNamed: true)
        let limit = try #require(StoredCooldown.after(error(.rateLimited, named), previous: nil, now: start, mark: 1))
        #expect(limit.end(start, .namedOnly, mark: 2) == named.at)
    }

    @Test func aTimeFromAWrongClockDoesNotHold() throws {
        let named = NotBefore(at: start + .hours(24 * 32), isNamed: true)
        let wait = try #require(StoredCooldown.after(error(.rateLimited, named), previous: nil, now: start, mark: 1))
        #expect(wait.end(start, .all, mark: 1) == named.at)
        #expect(wait.end(start - .hours(24 * 300), .all, mark: 1) == nil)
    }

    @Test func survivesBeingWrittenDown() throws {
        let named = NotBefore(at: start + .seconds(120), isNamed: true)
        let wait = try #require(StoredCooldown.after(error(.rateLimited, named), previous: nil, now: start, mark: 7))
        #expect(try JSONDecoder().decode(StoredCooldown.self, from: JSONEncoder().encode(wait)) == wait)
    }
}
