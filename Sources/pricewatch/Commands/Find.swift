import ArgumentParser
import Feeds
import Foundation
import HTTP
import Markets
import Views

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
        let wanted = text.trimmingCharacters(in: .whitespaces)
        guard !wanted.isEmpty else { throw CommandError("find: say what to look for", Exit.usage) }
        let configuration = try installation.readForQuestions().configuration
        if let portfolio = configuration.watch.markets.first(where: { $0.id.text == wanted })?.portfolio {
            StandardError.line("pricewatch: \(wanted) is a portfolio of the configuration: \(portfolio.amounts)")
        }
        let search = try await NetworkTransport.whileOpen { network in
            try await Self.search(wanted, configuration, network)
        }
        guard !search.matches.isEmpty else {
            throw CommandError("find: no market matches \(text)", Exit.noSuchData)
        }
        StandardOutput.write(lines: json ? [search.json] : search.table.lines(on: .output))
    }

    private static func search(
        _ wanted: String, _ configuration: Configuration, _ network: NetworkTransport
    ) async throws -> MarketSearch {
        let client = try configuration.makeFeed(feed(configuration), over: network, CommandMemory(configuration)).client
        let coins: [CoinGecko.CoinList.Coin]
        do {
            coins = try await client.send(CoinGecko.CoinList(), within: limit, respecting: .namedOnly)
        } catch {
            // Without a network, a list of days ago still answers.
            guard let stored = try? await client.send(CoinGecko.CoinList(.cachedOnly), within: limit) else {
                throw error
            }
            StandardError.line("pricewatch: from the list stored earlier: \(error.message)")
            coins = stored
        }
        var search = MarketSearch(wanted, among: coins)
        guard !search.matches.isEmpty else { return search }
        do {
            let ranks = try await client.send(
                CoinGecko.Ranks(of: search.candidates), within: limit, respecting: .namedOnly)
            search.rank(ranks)
        } catch {
            StandardError.line("pricewatch: without ranks: \(error.message)")
            search.rank([:])
        }
        return search
    }

    /// Ids are CoinGecko's: uses the configured CoinGecko feed if its key is readable, else the public plan.
    private static func feed(_ configuration: Configuration) -> Configuration.Feed {
        let feed = configuration.feeds.first { $0.provider == .coinGecko }
        if let feed, !feed.plan.needsKey || feed.key != nil { return feed }
        return Configuration.Feed(name: "coingecko", provider: .coinGecko)
    }
}

/// The markets that a text may mean, best match first. Symbols are not unique: all markets with one are listed.
struct MarketSearch {
    struct Match: Hashable {
        var id: String
        var symbol: String
        var name: String
        /// By market cap, from 1; nil if the market has none or it is unknown.
        var rank: Int?
        var likeness: Likeness
    }

    /// How a market matches the text, best first.
    enum Likeness: Comparable {
        case id, symbol, name
        /// Id, symbol or name has the text as a prefix.
        case beginning
        /// Id or name contains the text.
        case part
    }

    /// The number of other matches beside the exact ones.
    private static let mostOthers = 25

    private(set) var matches: [Match]

    init(_ text: String, among coins: [CoinGecko.CoinList.Coin]) {
        let wanted = text.lowercased()
        matches = coins.compactMap { coin in
            Self.likeness(of: coin, to: wanted).map {
                Match(id: coin.id, symbol: coin.symbol, name: coin.name, rank: nil, likeness: $0)
            }
        }
        sort()
    }

    /// The ids to request ranks for: one page.
    var candidates: [String] { matches.prefix(250).map(\.id) }

    /// Sorts the largest first within each kind of match, and cuts off the rest.
    mutating func rank(_ ranks: [String: Int]) {
        for place in matches.indices { matches[place].rank = ranks[matches[place].id] }
        sort()
        let exact = matches.prefix { $0.likeness <= .name }.count
        matches = Array(matches.prefix(exact + Self.mostOthers))
    }

    private mutating func sort() {
        matches.sort { left, right in
            (left.likeness, left.rank ?? .max, left.id.count, left.id)
                < (right.likeness, right.rank ?? .max, right.id.count, right.id)
        }
    }

    private static func likeness(of coin: CoinGecko.CoinList.Coin, to wanted: String) -> Likeness? {
        let (id, symbol, name) = (coin.id.lowercased(), coin.symbol.lowercased(), coin.name.lowercased())
        if id == wanted { return .id }
        if symbol == wanted { return .symbol }
        if name == wanted { return .name }
        if id.hasPrefix(wanted) || symbol.hasPrefix(wanted) || name.hasPrefix(wanted) { return .beginning }
        return id.contains(wanted) || name.contains(wanted) ? .part : nil
    }

    fileprivate var table: Table {
        var table = Table([("id", .left), ("symbol", .left), ("name", .left), ("rank", .right)])
        for match in matches {
            table.add([
                .init(match.id), .init(match.symbol), .init(match.name), .init(match.rank.map { "\($0)" } ?? "-"),
            ])
        }
        return table
    }

    fileprivate var json: String {
        var json = JSONWriter()
        json.object { json in
            json.member("schema", 1)
            json.array("markets", matches) { json, match in
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
