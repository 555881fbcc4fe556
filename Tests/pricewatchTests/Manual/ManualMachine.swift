import Foundation
import Glibc
import MarketSimulator
import Markets
import Testing

@testable import pricewatch

/// The machine that the manual is written on: the home of a user, and programs to call. What a block says is run there.
final class ManualMachine {
    private let home = try! TemporaryFolder()
    private let fresh = try! TemporaryFolder()
    private let tools = try! TemporaryFolder()
    /// What the manual names, and what stands for it here.
    private var standIns: [(shown: String, actual: String)] = []
    private var running: (daemon: Program.Running, simulator: CoinGeckoSimulator)?
    /// Any server with JSON: it answers everything with the newest `json` block.
    private var server: LoopbackServer?
    private var newestYAML: ManualText.Block?

    private static let every = Duration.minutes(10)
    private static let state = ".local/state/pricewatch"
    /// Programs of others: one that takes everything, and one that asks SQLite.
    private static let programs = [
        "curl": "#!/bin/sh\ncat >/dev/null\n", "logger": "#!/bin/sh\n", "rsvg-convert": "#!/bin/sh\ntest -s \"$3\"\n",
        "msmtp": "#!/bin/sh\ngrep -q Subject\n", "mosquitto_pub": "#!/bin/sh\ngrep -q event\n",
        "sqlite3": """
        #!/usr/bin/python3
        import sqlite3, sys
        file, text = sys.argv[-2:]
        db = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
        for statement in text.split(";"):
            if not statement.strip(): continue
            try:
                rows = db.execute(statement)
                if "-header" in sys.argv: print(",".join(column[0] for column in rows.description))
                rows = rows.fetchall()
                if not rows: print(f"no answer: {statement.strip()}")
                if "-csv" in sys.argv: print(rows)
            except sqlite3.Error as error: print(f"{error}: {statement.strip()}")
        """,
    ]

    /// - Parameter texts: The manual; the scripts that it shows are installed.
    init(_ texts: [ManualText] = []) throws {
        try FileManager.default.createSymbolicLink(
            atPath: tools.path + "/pricewatch", withDestinationPath: Program.path)
        var scripts = Self.programs
        for block in texts.flatMap(\.blocks) where block.language == "sh" {
            if let path = block.words.first { scripts[(path as NSString).lastPathComponent] = block.text }
        }
        for (name, text) in scripts { _ = try tools.write(program: text, as: name) }
        standIns = [("/usr/local/bin/", tools.path + "/"), ("/tmp/alerts.json", tools.path + "/alerts.json")]
    }

    /// Gives the user a configuration and a day of history, and starts the daemon.
    ///
    /// - Parameter yaml: What is watched, and the rules.
    func start(_ yaml: String) async throws {
        for folder in [".config/pricewatch", Self.state] {
            try FileManager.default.createDirectory(
                atPath: "\(home.path)/\(folder)", withIntermediateDirectories: true)
        }
        let prices = try Self.prices()
        let past = try DaemonScene(yaml, script: prices, every: Self.every)
        let polls = prices.values.first?.count ?? 0
        past.time.step(.seconds(Date().timeIntervalSince1970 - past.time.now().timeIntervalSince1970))
        past.time.step(.zero - .minutes(2) - Self.every * (polls - 1))
        try await past.start()
        await past.poll(polls)
        await past.stop()
        for name in ["history.db", "history.db-wal", "history.db-shm"] {
            try? FileManager.default.moveItem(
                atPath: "\(past.files.folder)/\(name)", toPath: "\(home.path)/\(Self.state)/\(name)")
        }
        let simulator = try await CoinGeckoSimulator.start(script: prices.mapValues { $0.suffix(1) })
        let server = try await LoopbackServer.start { [home] _ in .json(home.text("answer.json")) }
        self.server = server
        standIns += [
            ("http://127.0.0.1:8080/api/v3", simulator.baseURL), ("https://prices.example.com", server.baseURL),
        ]
        _ = home.write(
            yaml + "feeds: [{provider: coingecko, url: \"\(simulator.baseURL)\"}]\npoll: {every: 10m}\n",
            as: ".config/pricewatch/pricewatch.yaml")
        running = (try Program.start(["run"], environment: environment(home)), simulator)
        try await eventually("the daemon's first poll") {
            home.text("\(Self.state)/pricewatch.log").contains("poll.ok")
        }
    }

    func finish() async {
        running?.daemon.signal(SIGTERM)
        _ = await running?.daemon.ended()
        await running?.simulator.stop()
        await server?.stop()
    }

    /// Runs or compares a block, by its language and the words behind it. What is wrong, with its place.
    func faults(in block: ManualText.Block) async throws -> [String] {
        let faults: [String]
        switch block.language {
        case "console": return try await compare(block)
        case "sh" where block.words.isEmpty, "crontab": return try await run(block)
        case "sh": return []  // A script, see init.
        case "yaml":
            newestYAML = block
            faults = try await check(block)
        case "json": faults = try await poll(block)
        case "sql": faults = try await query(block.text)
        case "nginx", "caddy":
            // What a proxy asks is where the page is served by default.
            let asked = block.text.matches(of: /(?:proxy_pass http:\/\/|reverse_proxy )([^;\s]+)/).map {
                String($0.output.1)
            }
            let isServed = asked.map { ListenAddress($0)?.address } == [ListenAddress.standard.address]
            faults = isServed ? [] : ["asks \(asked), where no page is"]
        default: faults = ["a block of what language?"]
        }
        return faults.map { "\(block.place): \($0)" }
    }

    /// The errors of SQL statements, and which have no answer; with `-header` the columns, too.
    func query(_ sql: String, _ option: String = "") async throws -> [String] {
        let database = running == nil ? ":memory:" : Self.state + "/history.db"
        return try await run("sqlite3 \(option) \(database) \"\(sql)\"").output.split(separator: "\n").map(String.init)
    }

    /// What a shell says in the user's home, both streams together.
    func run(_ command: String, in folder: TemporaryFolder? = nil, _ variables: [String: String] = [:]) async throws
        -> Program.Ending
    {
        try await Program.start(
            ["-c", "exec 2>&1; cd; " + acted(command)], program: "/bin/sh",
            environment: environment(folder ?? home).merging(variables) { $1 }
        ).ended()
    }

    /// How the manual shows what differs on each machine.
    var shown: ShownOutput {
        ShownOutput(names: [(home.path, "/home/anna"), (fresh.path, "/home/anna"), (tools.path, "/tmp")])
    }

    /// Commands, each behind a `$`, and the output of each.
    private func compare(_ block: ManualText.Block) async throws -> [String] {
        var shown = shown
        shown.isExact = block.words.contains("exact")
        var faults: [String] = []
        var lines = block.lines[...]
        while let first = lines.popFirst() {
            guard first.text.hasPrefix("$ ") else { return ["\(first.place): output without a command: begin with $"] }
            let output = lines.prefix { !$0.text.hasPrefix("$ ") }
            lines = lines.dropFirst(output.count)
            let command = String(first.text.dropFirst(2)).replacing("make demo", with: "pricewatch demo --for 9s")
            let said = try await run(command, in: block.words.contains("fresh") ? fresh : home).output
            if let fault = shown.fault(output, against: said) {
                faults.append(fault)
                // The whole output helps to correct the manual.
                print("\(first.place) \(first.text)\n\(said)")
            }
        }
        return faults
    }

    private func run(_ block: ManualText.Block) async throws -> [String] {
        var faults: [String] = []
        for line in block.commands {
            if NotRun.reason(line.text) != nil {
                if let fault = try NotRun.fault(line.text) { faults.append("\(line.place): \(fault)") }
            } else {
                let ending = try await run(line.text)
                if ending.exit != 0 { faults.append("\(line.place): exit \(ending.exit): \(ending.output)") }
            }
        }
        return faults
    }

    /// What `pricewatch check` has against a configuration, and whether its programs take a message. A word behind the
    /// fence is the name of a file that later commands use, or of the program that the block is for.
    private func check(_ block: ManualText.Block) async throws -> [String] {
        switch block.words.first {
        case "prometheus":
            return try Self.unknown(
                /pricewatch_([a-z_]+)/, in: block, ["Sources/pricewatch/Status/MetricsFile.swift"])
        case "grafana":
            // Grafana's provisioning, and what VictoriaMetrics scrapes for it: not ours, but YAML.
            do throws(ConfigurationFault) { _ = try YAMLValue.parse(block.text, file: "grafana.yaml") } catch {
                return ["\(error)"]
            }
            return []
        case "home-assistant":
            return try Self.unknown(
                /(?:value_json|events\[0\]|first\))\.([a-z_]+)/, in: block,
                ["etc/webhook.schema.json", "Sources/Engine/Status/StatusFields.swift"])
        case let name:
            let file = name ?? "pricewatch.yaml"
            _ = home.write(acted(block.configuration), as: file)
            let secrets = block.secrets
            for (name, text) in secrets.files { _ = home.write(text, as: name) }
            let ending = try await run("pricewatch check --config \(file)", secrets.variables)
            // A fragment need not have a channel, and a standby feed may be asked less often.
            let expected = ["no channel is configured", "if it served a whole month"]
            var faults = ending.output.split(separator: "\n").map(String.init).filter { line in
                ending.exit != 0 || line.hasPrefix("warning: ") && !expected.contains { line.contains($0) }
            }
            for channel in block.text.matches(of: /(\w+): \{exec:/).map({ String($0.output.1) }) where faults.isEmpty {
                let ending = try await run("pricewatch notify-test \(channel) --config \(file)", secrets.variables)
                if ending.exit != 0 { faults.append(ending.output) }
            }
            return faults
        }
    }

    /// What a JSON feed, as the configuration before the block describes it, makes of the block: prices, or not.
    private func poll(_ block: ManualText.Block) async throws -> [String] {
        guard let yaml = newestYAML, yaml.heading == block.heading else { return ["the answer to what?"] }
        _ = home.write(block.text, as: "answer.json")
        // Plain http to loopback, and no wait from an earlier block.
        let folder = try TemporaryFolder()
        _ = folder.write(acted(yaml.configuration), as: "feed.yaml")
        let ending = try await run("pricewatch run --once --config feed.yaml", in: folder, yaml.secrets.variables)
        return ending.exit == 0 && ending.output.contains(" poll.ok ") ? [] : [ending.output]
    }

    /// The names in a block that none of the files has between quotes.
    private static func unknown(
        _ pattern: Regex<(Substring, Substring)>, in block: ManualText.Block, _ files: [String]
    ) throws -> [String] {
        let text = try files.map { try Project.text($0) }.joined()
        let names = block.text.matches(of: pattern).map { $0.output.1 }
        return names.isEmpty ? ["nothing to compare"] : names.filter { !text.contains("\"\($0)\"") }.map(String.init)
    }

    private func acted(_ text: String) -> String {
        standIns.reduce(text) { $0.replacing($1.shown, with: $1.actual) }
    }

    private func environment(_ folder: TemporaryFolder) -> [String: String] {
        // The folders are the user's also where a test runs as root.
        let state = "\(folder.path)/\(Self.state)"
        return [
            "HOME": folder.path, "PATH": tools.path + ":/usr/bin:/bin", "LANG": "C.UTF-8", "STATE_DIRECTORY": state,
            "LOGS_DIRECTORY": state, "RUNTIME_DIRECTORY": state, "TMPDIR": tools.path,
        ]
    }

    /// A day and an hour, one price in ten minutes. Bitcoin is below 60,000 for half an hour, some hours ago; Solana
    /// has just fallen.
    private static func prices() throws -> [MarketID: [Price]] {
        let bends: [String: [(hour: Double, price: Double)]] = [
            "bitcoin": [(0, 62_410), (9, 63_980), (16, 60_650), (17.5, 59_420), (18.2, 61_300), (25, 61_926.35)],
            "ethereum": [(0, 3002), (8, 3110), (20, 2954), (25, 2987.41)],
            "solana": [(0, 148.2), (12, 151.6), (23, 157.9), (24.5, 156.4), (25, 147.1)],
        ]
        var prices: [MarketID: [Price]] = [:]
        for (id, bends) in bends {
            prices[try MarketID(id)] = (0...150).compactMap { step in
                let hour = Double(step) / 6
                let next = max(1, bends.firstIndex { $0.hour >= hour } ?? 1)
                let (from, to) = (bends[next - 1], bends[next])
                let level = from.price + (to.price - from.price) * (hour - from.hour) / (to.hour - from.hour)
                // A ripple, so that it looks like a market.
                let ripple = step == 150 ? 0 : 0.0012 * level * (Double((step * 37) % 11) - 5) / 5
                return Price(parsing: String(format: "%.2f", level + ripple))
            }
        }
        return prices
    }
}
