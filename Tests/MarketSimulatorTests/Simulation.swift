import Foundation
import Markets

@testable import MarketSimulator

/// Runs `body` and stops the simulator afterwards, whatever happens.
func withSimulator<Result>(
    _ simulator: CoinGeckoSimulator, _ body: (CoinGeckoSimulator) async throws -> Result
) async throws -> Result {
    do {
        let result = try await body(simulator)
        await simulator.stop()
        return result
    } catch {
        await simulator.stop()
        throw error
    }
}

func withServer<Result>(
    _ handler: @escaping LoopbackServer.Handler, _ body: (LoopbackServer) async throws -> Result
) async throws -> Result {
    let server = try await LoopbackServer.start(handler: handler)
    do {
        let result = try await body(server)
        await server.stop()
        return result
    } catch {
        await server.stop()
        throw error
    }
}

extension CoinGeckoSimulator {
    var marketsURL: String { baseURL + "/coins/markets?vs_currency=usd&precision=full" }
}

let bitcoin = id("bitcoin")
let tether = id("tether")

func id(_ text: String) -> MarketID {
    do { return try MarketID(text) } catch { preconditionFailure("\(text) is no id") }
}

func price(_ text: String) -> Price {
    guard let price = Price(parsing: text) else { preconditionFailure("\(text) is no price") }
    return price
}
