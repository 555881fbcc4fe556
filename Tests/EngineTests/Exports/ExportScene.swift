import Foundation
import Markets

@testable import Engine

/// An engine that polls one market and exports to a simulated time-series engine, which answers when the test says.
/// The id of a poll is its number, from 1 on.
struct ExportScene {
    private(set) var scene: EngineScene
    /// The time-series engine: the polls that it holds, and when it first acknowledged each.
    private(set) var held: [Int64: Duration] = [:]
    /// The polls of each request that was answered, as the history had them.
    private(set) var sent: [ClosedRange<Int64>] = []
    /// The most polls of a batch.
    var limit: Int64 = 20

    init(every: Duration = .minutes(1), address: String = "a") {
        var settings = Settings.test(every: every)
        settings.exports = [ExportSettings(name: "cluster", address: address)]
        scene = EngineScene(settings, feeds: ["a": [gives("100")]])
    }

    var polls: Int64 { Int64(scene.memory.polls.count) }
    /// The request that waits for its answer.
    var request: ExportRequest? { scene.exports.count > answered ? scene.exports.last : nil }
    private(set) var answered = 0

    var export: StatusReport.Export { scene.status.exports[0] }
    var reasons: [String] { scene.status.reasons.map(\.code) }
    var uptime: Duration { scene.now.uptime }

    mutating func poll() { scene.wake() }
    mutating func pass(_ duration: Duration) { scene.pass(duration) }
    mutating func step(_ duration: Duration) { scene.step(duration) }
    mutating func take(_ input: Input) { scene.take(input) }
    mutating func fault(_ text: String?) { scene.fault = text }

    /// Polls, and answers what is sent.
    mutating func pollAndSend(_ count: Int = 1) {
        for _ in 0..<count {
            poll()
            answerAll()
            step(scene.settings.every)
        }
    }

    /// Answers until nothing is sent.
    mutating func answerAll() {
        for _ in 0..<1000 where request != nil { answer() }
    }

    /// The first poll of a request: live polls are `every` apart.
    func first(of request: ExportRequest) -> Int64 {
        guard request.rewinds else { return request.after + 1 }
        let back = Int64(Duration.minutes(2).inSeconds / scene.settings.every.inSeconds)
        return max(0, request.after - back - 1) + 1
    }

    /// Ends the request under way.
    mutating func answer(_ outcome: ExportOutcome = .sent(refused: [])) {
        guard let request else { return }
        answered = scene.exports.count
        let first = first(of: request)
        let last = min(first + limit - 1, polls)
        var batch = ExportBatch(upTo: first <= last ? last : request.after)
        if first <= last {
            let unsettled = max(first, request.settled + 1)
            batch.first = unsettled <= last ? scene.memory.polls[Int(unsettled) - 1].fetchedAt : nil
            batch.last = scene.memory.polls[Int(last) - 1].fetchedAt
        }
        for poll in first...max(first, last) where poll <= last {
            let record = scene.memory.polls[Int(poll) - 1]
            for sample in record.samples {
                if poll <= request.acknowledged { batch.repeated += 1 } else { batch.taken += 1 }
                batch.samples.append(
                    ExportedSample(
                        market: sample.market, currency: record.currency, price: sample.price,
                        quotedAt: sample.quotedAt))
            }
        }
        if last < polls {
            batch.next = scene.memory.polls[Int(last)].fetchedAt
        } else {
            batch.upTo = max(batch.upTo, request.acknowledged)
        }
        if case .sent = outcome {
            for poll in first...max(first, last) where poll <= last { held[poll] = held[poll] ?? uptime }
            if first <= last { sent.append(first...last) }
        }
        scene.take(.exported(ExportResult(of: request, batch, outcome)))
    }

    /// The time-series engine is killed: it loses what it acknowledged within 5 s.
    mutating func killEngine() { held = held.filter { $0.value <= uptime - .seconds(5) } }

    mutating func restart(_ change: (inout Settings) -> Void = { _ in }) {
        var settings = scene.settings
        change(&settings)
        scene.restart(settings)
        answered = scene.exports.count
    }

    mutating func reload(_ change: (inout Settings) -> Void) {
        var settings = scene.settings
        change(&settings)
        scene.reload(settings)
    }

    func log(_ event: String) -> [String] { scene.log(event) }
    var stored: StoredExport? { scene.memory.exports["cluster"] }
}
