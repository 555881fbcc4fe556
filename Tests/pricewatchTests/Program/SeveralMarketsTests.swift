import Foundation
import History
import Testing

/// `history` of more than one market.
@Suite struct SeveralMarketsTests {
    private func installation() throws -> Installation {
        let installation = try Installation(url: "http://127.0.0.1:9")
        try FilledDatabase().write(to: installation.database)
        return installation
    }

    private func history(_ installation: Installation, _ arguments: String...) async throws -> Program.Ending {
        try await Program.start(
            ["history"] + arguments + ["--since", "2026-11-01", "--config", installation.configuration]
        ).ended()
    }

    @Test("they come one after the other, as asked or by id, and each row names its own")
    func order() async throws {
        let installation = try installation()
        let several = try await history(installation, "tether", "bitcoin", "--format", "csv").output
            .split(separator: "\n")
        #expect(several.first == "market,quoted_at,fetched_at,price,currency,feed,confirmed")
        func markets(_ lines: some Sequence<Substring>) -> [Substring] {
            lines.reduce(into: []) { found, line in
                let market = line.prefix { $0 != "," }
                if found.last != market { found.append(market) }
            }
        }
        #expect(markets(several.dropFirst()) == ["tether", "bitcoin"])
        let all = try await history(installation, "--all", "--format", "csv").output.split(separator: "\n")
        #expect(markets(all.dropFirst()) == ["bitcoin", "ethereum", "tether"])
        let alone = try await history(installation, "bitcoin", "--format", "csv").output.split(separator: "\n")
        #expect(all.count { $0.hasPrefix("bitcoin,") } == alone.count - 1)

        let array = try await history(installation, "--all", "--every", "1h", "--json").output
        let objects = try #require(try JSONSerialization.jsonObject(with: Data(array.utf8)) as? [[String: Any]])
        #expect(Set(objects.compactMap { $0["market"] as? String }).count == 3)
        let lines = try await history(installation, "bitcoin", "tether", "--every", "1h", "--format", "ndjson").output
            .split(separator: "\n")
        for line in lines { #expect(try JSONSerialization.jsonObject(with: Data(line.utf8)) is [String: Any]) }
        #expect(lines.count == objects.count { $0["market"] as? String != "ethereum" })
    }

    @Test("a table has a part for each market that has rows, with its own header")
    func tables() async throws {
        let installation = try installation()
        let parts = try await history(installation, "--all", "--every", "1h").output.split(
            separator: "\n\n", omittingEmptySubsequences: false)
        #expect(parts.count == 3 && parts.allSatisfy { $0.hasPrefix("market ") })
        try ForgetDatabase(at: installation.database).forget(try .init("tether"), before: nil)
        let later = try await history(installation, "ethereum", "bitcoin", "--until", "2026-11-02")
        #expect(later.exit == 0 && later.output.split(separator: "\n").count == 1, "a bare header")
        #expect(try await history(installation, "--all").output.contains("tether") == false)
    }

    @Test("an unknown one among them is 65 with what may be meant, before anything is printed")
    func unknown() async throws {
        let ending = try await history(try installation(), "bitcoin", "etherium", "--format", "csv")
        #expect(ending.exit == 65 && ending.output.isEmpty)
        #expect(
            ending.errors.contains("find the market etherium: ") && ending.errors.contains("did you mean ethereum?"))
        #expect(try await history(try Installation(url: "http://127.0.0.1:9"), "--all").exit == 65)
    }
}
