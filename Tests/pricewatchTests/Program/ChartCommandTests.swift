import Foundation
import Glibc
import MarketSimulator
import Testing

@Suite struct ChartCommandTests {
    @Test("in the terminal, as a picture, of nothing, and of a market that is not there")
    func chart() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(url: simulator.baseURL)
        #expect(try await installation.run("run", "--once").exit == 0)
        #expect(try await installation.run("run", "--once").exit == 0)
        await simulator.stop()

        let drawn = try await installation.run("chart", "bitcoin")
        #expect(drawn.exit == 0, "\(drawn.errors)")
        let lines = drawn.output.split(separator: "\n")
        #expect(lines.first?.hasPrefix("Bitcoin (BTC) in usd  ") == true)
        #expect(lines.last?.hasPrefix("high ") == true)
        #expect(lines.allSatisfy { $0.count <= 80 })
        // No locale is set: nothing beyond ASCII is to be trusted.
        #expect(drawn.output.utf8.allSatisfy { $0 < 0x80 })

        let file = installation.folder.path + "/chart.svg"
        let written = try await installation.run("chart", "bitcoin", "--since", "1h", "--output", file)
        #expect(written.exit == 0 && written.output.hasPrefix(file))
        #expect(installation.folder.text("chart.svg").hasPrefix("<svg ") == true)
        let nowhere = try await installation.run("chart", "bitcoin", "--output", "/nowhere/chart.svg")
        #expect(nowhere.exit == 74 && nowhere.errors.contains("make its folder first"))
        let other = try await installation.run("chart", "bitcoin", "--output", "chart.png")
        #expect(other.exit == 64 && other.errors.contains("rsvg-convert"))

        let empty = try await installation.run("chart", "bitcoin", "--since", "2020-01-01", "--until", "2020-02-01")
        #expect(empty.exit == 0 && empty.output.contains("nothing recorded in this time"))
        #expect(try await installation.run("chart", "bitcoin", "--since", "1h", "--until", "2h").exit == 64)
        let unknown = try await installation.run("chart", "btc")
        #expect(unknown.exit == 65 && unknown.errors.contains("did you mean bitcoin?"))
    }
}
