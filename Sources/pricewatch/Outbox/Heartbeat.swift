import Feeds
import Foundation
import Markets
import Synchronization

/// A sign of life for an outside watcher: a GET after a poll that brought prices. Nothing waits for it.
final class Heartbeat: Sendable {
    private let settings: Configuration.Heartbeat
    private let transport: any HTTPTransport
    private let state: Mutex<State>

    private struct State {
        var lastBeat: Date?
        var failures = FailureCount()
        var running: Task<Void, Never>?
    }

    private static let timeout = Duration.seconds(20)

    /// - Parameter predecessor: whose beats count, where only the configuration has changed.
    init(_ settings: Configuration.Heartbeat, over transport: any HTTPTransport, after predecessor: Heartbeat? = nil) {
        self.settings = settings
        self.transport = transport
        let lastBeat = predecessor?.settings == settings ? predecessor?.state.withLock(\.lastBeat) : nil
        state = Mutex(State(lastBeat: lastBeat))
    }

    func beat(at now: Date, _ log: EventLog) {
        state.withLock { state in
            guard state.running == nil, state.lastBeat.map({ isDue(now.since($0)) }) ?? true else { return }
            state.lastBeat = now
            state.running = Task { await self.send(at: now, log) }
        }
    }

    /// Waits for the beat under way.
    func finish() async { await state.withLock(\.running)?.value }

    /// Breaks off the beat under way.
    func stop() { state.withLock(\.running)?.cancel() }

    /// Polls are not to the millisecond: one a little early must not be passed over for the next.
    private func isDue(_ age: Duration) -> Bool { age < .zero || age >= settings.every - settings.every / 20 }

    private func send(at now: Date, _ log: EventLog) async {
        let request = WireRequest(
            method: .get, url: settings.url.revealed, headers: ["User-Agent": "pricewatch/\(Version.current)"],
            body: nil, bodyLimit: 64 << 10)
        let words = DeliveryWords(channel: "heartbeat", HeartbeatWatcher(url: settings.url.revealed))
        var fault: String?
        do {
            let answer = try await transport.exchange(request, within: Self.timeout)
            if !(200...299).contains(answer.status) { fault = words.refusal(answer, Diagnosis()) }
        } catch {
            fault = words.failure(error)
        }
        state.withLock { state in
            state.running = nil
            guard !Task.isCancelled else { return }
            guard let fault else {
                let failed = state.failures.reset()
                if failed > 0 { log.write(.info, "heartbeat.sent") { $0.add("after_failures", failed) } }
                return
            }
            guard state.failures.add(at: now) else { return }
            log.write(.warning, "heartbeat.failed") { line in
                line.add("count", state.failures.count)
                line.add("message", fault)
            }
        }
    }
}

/// Whom the heartbeat is for, as far as the words for its failures are concerned.
private struct HeartbeatWatcher: HTTPService {
    static let kind = "GET"
    let url: String

    func body(for message: Message) -> [UInt8] { [] }
    func diagnose(status: Int, _ body: Data) -> Diagnosis { Diagnosis() }
}
