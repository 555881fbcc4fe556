import Foundation
import HTTP
import MarketSimulator
import Synchronization

/// Time in which a request is late as soon as a simulated server has it and leaves it hanging, and never before: however
/// slow the machine is, whatever is answered is answered in time. For a transport that asks this server alone; without a
/// server, nothing is ever late.
package final class StalledTime: TimeSource {
    private let server: CoinGeckoSimulator?
    private let requests = Mutex(0)
    private let clock = SystemTime()

    package init(_ server: CoinGeckoSimulator? = nil) { self.server = server }

    package func now() -> Date { clock.now() }
    package func uptime() -> Duration { clock.uptime() }

    package func sleep(for duration: Duration) async throws {
        guard let server else { return try await clock.sleep(for: .seconds(24 * 3600)) }
        let number = requests.withLock {
            $0 += 1
            return $0
        }
        await server.waitUntilSeen(number)
        try Task.checkCancellation()
        switch server.requests[number - 1].fault {
        case .hang: return
        // So that its head is there; a slow machine may make the test weaker, never red.
        case .drip: try await clock.sleep(for: .milliseconds(100))
        default: await server.waitUntilSeen(.max)
        }
    }
}
