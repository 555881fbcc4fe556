import Foundation
import Markets
import Testing

@testable import Engine

@Suite struct DeliveryQueueTests {
    private let start = moment()
    private var queue = Outbox(Routing())

    init() { queue.reload(Routing([Routing.Channel(name: "ops"), Routing.Channel(name: "phone")])) }

    private func message(
        _ id: String, about alerts: [String] = [], to channel: String = "ops", critical: Bool = false,
        held: Bool = false, at date: Date? = nil, note: Bool = false
    ) -> QueuedMessage {
        QueuedMessage(
            id: id, channel: channel, createdAt: date ?? start,
            events: (note ? [] : alerts.isEmpty ? [id] : alerts).map {
                .init(id: "\(id)-\($0)", alert: AlertKey(rule: $0, market: market("bitcoin")), isCritical: critical)
            }, isNote: note, isHeld: held)
    }

    /// What can be sent now, all at once.
    private mutating func sent(at now: Date) -> [String] {
        var ids: [String] = []
        while let action = queue.next(at: now) {
            guard case .send(let message) = action else { continue }
            ids.append(message.id)
        }
        return ids
    }

    @Test("a later message about the same alert waits for the earlier one, others do not")
    mutating func order() throws {
        let first = message("1", about: ["a"])
        for next in [first, message("2", about: ["a", "b"]), message("3", about: ["b"]), message("4", about: ["c"])] {
            queue.add(next)
        }
        #expect(sent(at: start) == ["1", "4"])
        #expect(queue.finish(first, .delivered, at: start, random: 0) == .done)
        #expect(sent(at: start) == ["2"])
        #expect(queue.size.queued == 3)
    }

    @Test("channels do not know of each other: the same alert goes to both at once")
    mutating func channels() {
        queue.add(message("1", about: ["a"]))
        queue.add(message("2", about: ["a"], to: "phone"))
        #expect(sent(at: start) == ["1", "2"])
    }

    @Test("four at once, and still the first of another channel")
    mutating func atOnce() {
        for number in 1...6 { queue.add(message("\(number)")) }
        #expect(sent(at: start) == ["1", "2", "3", "4"])
        queue.add(message("7", to: "phone"))
        queue.add(message("8", to: "phone"))
        #expect(sent(at: start) == ["7"])
    }

    @Test("what failed waits longer each time; until then the same alert's next waits, too")
    mutating func retry() throws {
        let first = message("1", about: ["a"])
        queue.add(first)
        queue.add(message("2", about: ["a"]))
        var now = start
        for seconds in [1.0, 2, 4, 8] {
            #expect(sent(at: now) == ["1"])
            let verdict = queue.finish(first, .failed(cause: "no", retryAfter: nil), at: now, random: 1)
            guard case .postponed(let later) = verdict else {
                Issue.record("\(verdict)")
                return
            }
            #expect(later.notBefore == now.addingTimeInterval(seconds))
            #expect(sent(at: now).isEmpty)
            #expect(queue.nextMoment(after: now) == later.notBefore)
            now = now.addingTimeInterval(seconds)
        }
        #expect(sent(at: now) == ["1"])
        #expect(queue.finish(first, .delivered, at: now, random: 1) == .done)
        #expect(sent(at: now) == ["2"])
    }

    @Test("a channel in trouble is tried by one at a time, what was tried least first; well again, all go")
    mutating func trouble() {
        let all = (1...3).map { message("\($0)") }
        for next in all { queue.add(next) }
        #expect(sent(at: start) == ["1", "2", "3"])
        for next in all { _ = queue.finish(next, .failed(cause: "no", retryAfter: nil), at: start, random: 1) }
        #expect(sent(at: start).isEmpty)
        #expect(sent(at: start.addingTimeInterval(3.9)).isEmpty)
        let later = start.addingTimeInterval(4)
        #expect(sent(at: later) == ["1"])
        _ = queue.finish(all[0], .failed(cause: "no", retryAfter: nil), at: later, random: 1)
        // A fresh one does not wait for the others' next turn.
        let fresh = message("4")
        queue.add(fresh)
        #expect(sent(at: later) == ["4"])
        _ = queue.finish(fresh, .delivered, at: later, random: 1)
        #expect(sent(at: later) == ["1", "2", "3"])
    }

    @Test("when the service asks for a wait, nothing goes to it before, and other channels go on")
    mutating func retryAfter() {
        let first = message("1")
        queue.add(first)
        #expect(sent(at: start) == ["1"])
        _ = queue.finish(first, .failed(cause: "429", retryAfter: .seconds(90)), at: start, random: 0)
        queue.add(message("2"))
        queue.add(message("3", to: "phone"))
        #expect(sent(at: start.addingTimeInterval(89)) == ["3"])
        #expect(sent(at: start.addingTimeInterval(90)) == ["2"])
    }

    @Test("what could not be delivered for max_age is given up")
    mutating func maxAge() {
        queue.reload(Routing([Routing.Channel(name: "ops", maxAge: .hours(1))]))
        let old = message("1", about: ["a"])
        queue.add(old)
        queue.add(message("2", about: ["a"], at: start + .minutes(30)))
        #expect(sent(at: start) == ["1"])
        _ = queue.finish(old, .failed(cause: "no", retryAfter: .hours(48)), at: start, random: 1)
        #expect(queue.nextMoment(after: start) == start + .hours(1))
        var tried = old
        tried.attempts = 1
        tried.notBefore = start + .hours(48)
        tried.lastError = "no"
        #expect(queue.next(at: start + .hours(1)) == .drop(tried, .maxAge(.hours(1))))
        #expect(queue.faults.map { $0.prefix(4) } == ["ops "])
    }

    @Test("what is on its way is not given up under it")
    mutating func underWay() {
        queue.reload(Routing([Routing.Channel(name: "ops", maxAge: .minutes(1))]))
        queue.add(message("1"))
        #expect(sent(at: start) == ["1"])
        #expect(queue.next(at: start + .hours(1)) == nil)
    }

    @Test("a refusal ends it, shows as a fault until the channel delivers, and lets the next one go")
    mutating func refused() {
        let (first, second) = (message("1", about: ["a"]), message("2", about: ["a"]))
        queue.add(first)
        queue.add(second)
        #expect(sent(at: start) == ["1"])
        #expect(queue.finish(first, .refused(cause: "404"), at: start, random: 0) == .dropped(.refused))
        #expect(queue.faults == ["ops does not deliver: 404"])
        #expect(sent(at: start) == ["2"])
        #expect(queue.finish(second, .delivered, at: start, random: 0) == .done)
        #expect(queue.faults.isEmpty && queue.size == OutboxSize(queued: 0, oldest: nil))
    }

    @Test("three failures in a row are a fault, too")
    mutating func failing() {
        let only = message("1")
        queue.add(only)
        for count in 1...3 {
            #expect(queue.faults.isEmpty, "\(count)")
            _ = sent(at: start + .hours(count))
            _ = queue.finish(only, .failed(cause: "no", retryAfter: nil), at: start + .hours(count), random: 0)
        }
        #expect(queue.faults == ["ops does not deliver: no"])
    }

    @Test("a channel that is no longer configured gives up what waits; what is on its way ends first")
    mutating func vanished() {
        let (first, second) = (message("1"), message("2", about: ["1"]))
        queue.add(first)
        queue.add(second)
        #expect(sent(at: start) == ["1"])
        queue.reload(Routing([Routing.Channel(name: "phone")]))
        #expect(queue.next(at: start) == .drop(second, .noChannel))
        #expect(queue.next(at: start) == nil)
        #expect(
            queue.finish(first, .failed(cause: "no", retryAfter: nil), at: start, random: 0) == .dropped(.noChannel))
        #expect(queue.size.queued == 0)
    }

    @Test("one that comes back, or is mended, is tried at once")
    mutating func mended() {
        let first = message("1")
        queue.add(first)
        for _ in 1...4 {
            _ = sent(at: start + .hours(1))
            _ = queue.finish(first, .failed(cause: "no", retryAfter: .hours(1)), at: start, random: 0)
        }
        queue.reload(Routing([Routing.Channel(name: "ops", address: "another")]))
        #expect(queue.faults.isEmpty)
        #expect(sent(at: start) == ["1"])
    }

    @Test(
        "what was on its way to an earlier address, and fails there, is sent to the new one at once",
        arguments: [
            Delivery.Outcome.failed(cause: "busy", retryAfter: .hours(1)), .refused(cause: "no such hook"),
        ])
    mutating func onItsWay(outcome: Delivery.Outcome) {
        let first = message("1")
        queue.add(first)
        #expect(sent(at: start) == ["1"])
        queue.reload(Routing([Routing.Channel(name: "ops", address: "another")]))
        #expect(queue.finish(first, outcome, at: start, random: 0) == .kept)
        #expect(queue.faults.isEmpty && sent(at: start) == ["1"])
        #expect(queue.finish(first, outcome, at: start, random: 0) != .kept, "this one was sent to the new address")
    }

    @Test("broken off, it stays where it was")
    mutating func interrupted() {
        let first = message("1")
        queue.add(first)
        #expect(sent(at: start) == ["1"])
        #expect(queue.finish(first, .interrupted, at: start, random: 0) == .kept)
        #expect(sent(at: start) == ["1"])
    }

    // MARK: Quiet hours: 23:00 to 07:00, and it is 10:00 at the start.

    private static let quiet = [Routing.Channel(name: "ops", quiet: QuietHours("23:00-07:00"))]

    @Test("in quiet hours only what is critical goes; at their end the rest comes as one message")
    mutating func quiet() throws {
        queue.reload(Routing(Self.quiet))
        let night = start + .hours(14)
        let morning = start + .hours(21)
        queue.add(message("1", about: ["a"], held: true, at: night))
        queue.add(message("2", about: ["b"], critical: true, at: night))
        queue.add(message("3", about: ["a"], held: true, at: night + .minutes(1)))
        queue.add(message("digest", held: true, at: night, note: true))
        #expect(sent(at: night) == ["2"])
        #expect(queue.nextMoment(after: night) == morning)
        // A message that comes before the held ones are let go is not overtaken by it.
        queue.add(message("4", about: ["a"], at: morning))
        guard case .release(let held, let whole) = queue.next(at: morning) else {
            Issue.record("nothing was let go")
            return
        }
        #expect(held.map(\.id) == ["1", "3"])
        #expect(whole.events.map(\.id) == ["1-a", "3-a"])
        #expect(whole.id == StableID.of(["ops", "1-a", "3-a"]))
        #expect(whole.createdAt == morning && !whole.isHeld)
        #expect(sent(at: morning) == [whole.id, "digest"])
        _ = queue.finish(whole, .delivered, at: morning, random: 0)
        #expect(sent(at: morning) == ["4"])
    }

    @Test("what could not be delivered before quiet hours waits for their end, under its own id")
    mutating func leftOver() {
        queue.reload(Routing(Self.quiet))
        let late = start + .hours(12) + .minutes(59)
        let first = message("1", at: late)
        queue.add(first)
        #expect(sent(at: late) == ["1"])
        _ = queue.finish(first, .failed(cause: "no", retryAfter: .minutes(2)), at: late, random: 0)
        #expect(sent(at: late + .minutes(10)).isEmpty)
        #expect(queue.nextMoment(after: late + .minutes(10)) == start + .hours(21))
        #expect(sent(at: start + .hours(21)) == ["1"])
    }

    @Test("where quiet hours are taken back, what was held goes at once")
    mutating func quietEnded() {
        queue.reload(Routing(Self.quiet))
        let night = start + .hours(14)
        queue.add(message("1", held: true, at: night))
        #expect(queue.next(at: night) == nil)
        queue.reload(Routing([Routing.Channel(name: "ops")]))
        #expect(sent(at: night) == ["1"])
    }
}
