import Foundation
import Glibc
import MarketSimulator
import Testing

/// A secret in every place where a configuration takes one, servers that give back all they are sent, and a look at
/// everything that comes out.
@Suite struct SecretsNowhereTests {
    /// Part of every secret, of letters and digits alone: no coding hides it.
    private static let mark = "PLANTED"

    private static func secret(_ place: String) -> String { "\(mark)x\(place)x0123456789abcdef" }

    /// Says back path, headers and body, as careless servers do.
    private static func echo(_ request: LoopbackServer.Request) -> LoopbackServer.Reply {
        let status = ["feed": 401, "gone": 404, "busy": 500, "beat": 403][request.segments.first ?? ""] ?? 500
        let said = "\(request.target) \(request.headers) \(String(decoding: request.body, as: UTF8.self))"
        let quoted = said.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return .json("{\"error\": \"\(quoted)\", \"message\": \"\(quoted)\"}", status: status)
    }

    @Test("none is found in log, status, metrics, database, backup, output, process list or child")
    func nowhere() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let server = try await LoopbackServer.start { Self.echo($0) }
        let folder = try TemporaryFolder()
        let environment = [
            "PAPRIKA_KEY": Self.secret("paprika"), "DISCORD_URL": "\(server.baseURL)/gone/\(Self.secret("discord"))",
            "NTFY_TOKEN": Self.secret("ntfytoken"), "STOCKS_URL_KEY": Self.secret("urlkey"),
            "PAPRIKA_URL": "\(server.baseURL)/feed/\(Self.secret("paprikapath"))/v1",
        ]
        let file = try configure(folder, server: server.baseURL, simulator: simulator.baseURL)
        func run(_ arguments: String...) throws -> Program.Running {
            try Program.start(arguments + ["--config", file], environment: environment)
        }

        let daemon = try run("run")
        let waited = [
            "notify.dropped channel=slack", "notify.dropped channel=discord", "notify.failed channel=hook",
            "notify.failed channel=phone", "notify.sent channel=script", "heartbeat.failed", "feed.switched",
        ]
        try await eventually("a word of every secret's use") {
            let log = folder.text("pricewatch.log")
            return waited.allSatisfy(log.contains)
        }
        var found = ["process list": try Self.processList()]
        for arguments in [
            ["check"], ["check", "--json"], ["check", "--online"], ["status"], ["status", "--json"], ["alerts"],
            ["backup", folder.path + "/backup.db"], ["notify-test", "hook"], ["notify-test", "slack"],
            ["notify-test", "discord"], ["notify-test", "phone"], ["notify-test", "script"], ["notify-test", "none"],
        ] {
            let ending = try await Program.start(arguments + ["--config", file], environment: environment).ended()
            found[arguments.joined(separator: " ")] = ending.output + ending.errors
        }
        daemon.signal(SIGHUP)
        try await eventually("a reload") {
            folder.text("pricewatch.log").components(separatedBy: " config.loaded ").count == 3
        }
        daemon.signal(SIGTERM)
        let ending = await daemon.ended()
        #expect(ending.exit == 0)
        found["run"] = ending.output + ending.errors
        await simulator.stop()
        await server.stop()

        for name in [
            "pricewatch.log", "status.json", "metrics.prom", "history.db", "history.db-wal", "backup.db", "child",
        ] {
            let bytes = FileManager.default.contents(atPath: folder.path + "/" + name)
            found[name] = bytes.map { String(decoding: $0, as: UTF8.self) } ?? ""
            if name != "history.db-wal" { #expect(bytes?.isEmpty == false, "\(name)") }
        }
        expectNone(in: found)
    }

    @Test("nor in the lists that find keeps of a feed with a URL of its own")
    func keptLists() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let folder = try TemporaryFolder()
        _ = folder.write("\(simulator.baseURL)?access=\(Self.secret("query"))\n", as: "feed-url")
        let file = folder.write("feeds: [{provider: coingecko, url_file: feed-url}]\n", as: "pricewatch.yaml")
        let ending = try await Program.run(
            "find", "bitcoin", "--config", file, environment: ["XDG_CACHE_HOME": folder.path + "/cache"])
        await simulator.stop()
        #expect(ending.exit == 0, "\(ending.errors)")
        let lists = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/cache/pricewatch")
        #expect(!lists.isEmpty)
        expectNone(
            in: Dictionary(uniqueKeysWithValues: lists.map { ($0, $0 + folder.text("cache/pricewatch/" + $0)) }))
    }

    private func expectNone(in found: [String: String]) {
        for (place, text) in found {
            let leak = text.range(of: Self.mark, options: .caseInsensitive).map { range in
                let start = text.index(range.lowerBound, offsetBy: -80, limitedBy: text.startIndex) ?? text.startIndex
                return String(text[start...].prefix(160))
            }
            #expect(leak == nil, "\(place)")
        }
    }

    private func configure(_ folder: TemporaryFolder, server: String, simulator: String) throws -> String {
        let script = try folder.write(
            program: "#!/bin/sh\n{ env; cat; tr '\\0' ' ' < /proc/$$/cmdline; } >> \(folder.path)/child\n", as: "script"
        )
        for (name, text) in [
            ("cmc.key", Self.secret("cmc")), ("webhook-url", "\(server)/busy/\(Self.secret("webhook"))"),
            ("telegram-token", "1234567:\(Self.secret("telegram"))"),
            ("beat-url", "\(server)/beat/\(Self.secret("heartbeat"))"),
            (
                "stocks-url",
                "\(server)/feed/\(Self.secret("path"))/q?symbol={id}&token={key}&user=\(Self.secret("query"))"
            ),
        ] {
            _ = folder.write(text + "\n", as: name)
        }
        return folder.write(
            """
            watch: {markets: [bitcoin]}
            feeds:
              - name: stocks
                provider: json
                url_file: stocks-url
                key_env: STOCKS_URL_KEY
                headers: {X-Key: "{key}", Authorization: "Bearer \(Self.secret("header"))"}
                fields: {price: /last}
                currency: usd
              - {provider: coinmarketcap, plan: demo, key_file: cmc.key, url: "\(server)/feed/\(Self.secret("inline"))"}
              - {provider: coinpaprika, plan: pro, key_env: PAPRIKA_KEY, url_env: PAPRIKA_URL}
              - {provider: coingecko, plan: demo, key: \(Self.secret("gecko")), url: "\(simulator)"}
            poll: {every: 1s, retry: {attempts: 1}}
            history: {database: \(folder.path)/history.db}
            log: {file: \(folder.path)/pricewatch.log, level: debug}
            status_file: \(folder.path)/status.json
            metrics_file: \(folder.path)/metrics.prom
            alerts: [{name: high, market: bitcoin, above: 1, notify: [hook, slack, discord, phone, script]}]
            builtin_alerts: false
            notify:
              hook: {webhook_file: webhook-url}
              slack: {slack: "\(server)/gone/services/\(Self.secret("slack"))"}
              discord: {discord_env: DISCORD_URL}
              phone: {ntfy: "\(server)/busy/\(Self.secret("topic"))", token_env: NTFY_TOKEN}
              script: {exec: [\(script)]}
              chat: {telegram: "-100", token_file: telegram-token}
            digest: null
            heartbeat: {url_file: beat-url, every: 1s}

            """, as: "pricewatch.yaml")
    }

    /// The command lines of all processes.
    private static func processList() throws -> String {
        let names = try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { Int($0) != nil }
        return names.map { name in
            let bytes = FileManager.default.contents(atPath: "/proc/\(name)/cmdline") ?? Data()
            return String(decoding: bytes.map { $0 == 0 ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
        }.joined(separator: "\n")
    }
}
