import Foundation
import HTTP
import MarketSimulator

/// Asks a simulated provider without a socket.
package struct SimulatedTransport: HTTPTransport {
    private let simulator: CoinGeckoSimulator

    package init(_ simulator: CoinGeckoSimulator) { self.simulator = simulator }

    package func exchange(_ request: WireRequest, within timeout: Duration) async throws(TransportFault) -> HTTPAnswer {
        let parts = request.url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        let reply = simulator.reply(
            to: LoopbackServer.Request(
                method: request.method, target: "/" + (parts.count > 3 ? parts[3] : ""),
                headers: request.headers.all.map { ($0.name, $0.value) }))
        switch reply.transfer {
        case .whole: break
        case .hang, .drip: throw .timeout(timeout)
        case .half, .reset, .blanks: throw .transport("the connection was closed")
        }
        var headers = HTTPFields()
        for (name, value) in reply.headers { headers.append(name, value) }
        return HTTPAnswer(status: reply.status, headers: headers, body: Data(reply.body))
    }
}
