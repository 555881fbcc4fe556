import Foundation
import History
import Testing

/// A folder with a configuration in it, and everything the program writes.
struct Installation {
    let folder: TemporaryFolder
    let configuration: String
    let database: String

    /// - Parameters:
    ///   - feed: further keys of the feed.
    ///   - backfill: how far back gaps are backfilled; null by default, so that a test sees its own requests alone.
    ///   - database: nil: in the folder, too.
    ///   - more: further lines of the configuration.
    init(
        url: String, markets: String = "[bitcoin, ethereum, tether]", timeout: String = "20s", feed: String = "",
        backfill: String = "null", database: String? = nil, more: String = ""
    ) throws {
        folder = try TemporaryFolder()
        self.database = database ?? folder.path + "/history.db"
        configuration = folder.write(
            """
            watch: {markets: \(markets)}
            feeds: [{provider: coingecko, url: "\(url)"\(feed)}]
            poll: {every: 1s, timeout: \(timeout), retry: {attempts: 2, base: 10ms, cap: 20ms}}
            history: {database: \(self.database), backfill: \(backfill)}
            log: {file: \(folder.path)/pricewatch.log}
            status_file: \(folder.path)/status.json
            \(more)

            """, as: "pricewatch.yaml")
    }

    func run(_ arguments: String...) async throws -> Program.Ending {
        try await Program.start(arguments + ["--config", configuration]).ended()
    }

    func start(_ arguments: String...) throws -> Program.Running {
        try Program.start(arguments + ["--config", configuration])
    }

    var log: [String] { folder.text("pricewatch.log").split(separator: "\n").map(String.init) }

    func status() throws -> [String: Any] {
        let bytes = Data(folder.text("status.json").utf8)
        return try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
    }

    var lastPollError: [String: Any]? {
        get throws { (try status()["last_poll"] as? [String: Any])?["error"] as? [String: Any] }
    }

    /// The codes of the reasons that the status gives.
    var reasons: [String] {
        get throws { (try status()["reasons"] as? [[String: Any]] ?? []).compactMap { $0["code"] as? String } }
    }

    func samples() throws -> Int64 { try HistoryReader(at: database).size().samples }
}

/// Returns once `condition` holds of another process, which cannot notify the test; fails the test after 20 s.
func eventually(_ what: String, _ condition: () throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(20)
    while ContinuousClock.now < end {
        if try condition() { return }
        try await Task.sleep(for: .milliseconds(2))
    }
    Issue.record("\(what): not within 20 s")
}

/// Does the same for all values at once, since most of its time is waiting.
func sideBySide<Values: Sequence>(
    _ values: Values, _ body: @escaping @Sendable (Values.Element) async throws -> Void
) async throws where Values.Element: Sendable {
    try await withThrowingTaskGroup { group in
        for value in values { group.addTask { try await body(value) } }
        try await group.waitForAll()
    }
}
