internal import Foundation
internal import Markets
internal import Synchronization

/// The simulator without its socket: takes the next fault, then answers as that fault wants.
final class SimulatorCore: Sendable {
    let book: PriceBook
    let log = RequestLog()
    private let now: @Sendable () -> Date
    private let state: Mutex<State>

    private struct State {
        var faults: [Fault]
        var nextFault = 0
        var walk: WalkState

        mutating func takeFault() -> Fault {
            guard !faults.isEmpty else { return .ok }
            defer { nextFault = (nextFault + 1) % faults.count }
            return faults[nextFault]
        }
    }

    init(_ configuration: CoinGeckoSimulator.Configuration) {
        book = PriceBook(seed: configuration.seed, count: configuration.markets, script: configuration.script)
        now = configuration.now
        let walk = WalkState(stepsEvery: configuration.stepsEvery)
        state = Mutex(State(faults: configuration.faults, walk: walk))
    }

    func setFaults(_ faults: [Fault]) {
        state.withLock { state in
            state.faults = faults
            state.nextFault = 0
        }
    }

    func reply(to request: LoopbackServer.Request) -> LoopbackServer.Reply {
        let now = now()
        let fault = state.withLock { $0.takeFault() }
        log.append(SeenRequest(at: now, request: request, fault: fault))
        let reply = FaultyReply(fault: fault, conditional: request.headers["if-none-match"]).reply {
            Endpoint(book: self.book, now: now) { isFirstPage in
                self.state.withLock { $0.walk.position(isFirstPage: isFirstPage, now: now) }
            }.answer(request, oddities: RowOddities(fault))
        }
        guard case .answer(var answer) = reply else { return reply }
        if answer.headers["Date"] == nil { answer.headers["Date"] = now.httpText }
        return .answer(answer)
    }
}
