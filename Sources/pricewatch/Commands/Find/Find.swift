import ArgumentParser
import Feeds
import Foundation
import HTTP
import Markets

struct Find: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "find", abstract: "Which id is meant: id, symbol, name and rank. Symbols are not unique.")

    @OptionGroup var installation: InstallationOptions
    @Argument(help: "An id, a symbol, a name, or a part of one.")
    var text: String
    @Flag(help: "For programs.")
    var json = false

    private static let limit = Duration.seconds(60)

    func run() async throws {
        try await CommandError.reporting {
            let wanted = text.trimmingCharacters(in: .whitespaces)
            guard !wanted.isEmpty else { throw CommandError("find: say what to look for", Exit.usage) }
            let network = try NetworkTransport()
            let search: MarketSearch
            do {
                search = try await ask(wanted, through: network)
            } catch {
                await network.shutdown()
                throw error
            }
            await network.shutdown()
            guard !search.matches.isEmpty else {
                throw CommandError("find: no market matches \(text)", Exit.noSuchData)
            }
            var output = StandardOutput()
            if json {
                output.line(Self.json(search))
            } else {
                for line in Self.table(search).lines(on: Terminal(environment: ProcessInfo.processInfo.environment)) {
                    output.line(line)
                }
            }
        }
    }

    private func ask(_ wanted: String, through network: NetworkTransport) async throws -> MarketSearch {
        let configuration = try installation.readForQuestions().configuration
        let memory = ListCache(
            folder: ListCache.folder(.current), beside: CountedRequests(in: configuration.history.database))
        let client = FeedClient(
            CoinGecko(plan: feed(configuration).plan),
            try FeedEnvironment(feed(configuration), timeout: configuration.poll.timeout), transport: network,
            memory: memory, retry: RetryPolicy(configuration.poll.retry))
        let coins: [CoinGecko.CoinList.Coin]
        do {
            coins = try await client.send(CoinGecko.CoinList(), within: Self.limit)
        } catch {
            throw CommandError("find \(wanted): \(error.message)", Exit.noAnswer)
        }
        var search = MarketSearch(wanted, among: coins)
        guard !search.candidates.isEmpty else { return search }
        do {
            let ranks = try await client.send(CoinGecko.Ranks(of: search.candidates), within: Self.limit)
            search.rank(ranks)
        } catch {
            StandardError.line("pricewatch: without ranks: \(error.message)")
            search.rank([:])
        }
        return search
    }

    /// Ids are CoinGecko's: uses the configured CoinGecko feed if its key is readable, else the public plan.
    private func feed(_ configuration: Configuration) -> Configuration.Feed {
        let feed = configuration.feeds.first { $0.provider == .coinGecko }
        if let feed, !feed.plan.needsKey || feed.key != nil { return feed }
        return Configuration.Feed(name: "coingecko", provider: .coinGecko)
    }

    private static func table(_ search: MarketSearch) -> Table {
        var table = Table([("id", .left), ("symbol", .left), ("name", .left), ("rank", .right)])
        for match in search.matches {
            table.add([
                .init(match.id), .init(match.symbol), .init(match.name), .init(match.rank.map { "\($0)" } ?? "-"),
            ])
        }
        return table
    }

    private static func json(_ search: MarketSearch) -> String {
        var json = JSONWriter()
        json.object { json in
            json.member("schema", 1)
            json.array("markets", search.matches) { json, match in
                json.object { json in
                    json.member("id", match.id)
                    json.member("symbol", match.symbol)
                    json.member("name", match.name)
                    json.member("rank", match.rank)
                }
            }
        }
        return json.text
    }
}
