import Feeds
import Foundation
import HTTP
import History
import Markets

/// The feed memory of a command. Requests count towards the month's quota in the database, and cooldowns that a
/// provider named apply to daemon and commands alike; without a writable database, both last only as long as the
/// command. Id lists lie in the user's own cache folder: `find` is for every user. If it is not writable, nothing is
/// cached.
actor CommandMemory: FeedMemory {
    private let daemon: any FeedMemory
    private let folder: String

    init(_ configuration: Configuration, _ host: HostEnvironment = .current) {
        let database = try? CommandDatabase(at: configuration.history.database)
        daemon = database.map { FeedNotebook($0) } ?? TransientMemory()
        folder = (host["XDG_CACHE_HOME"] ?? host.home + "/.cache") + "/pricewatch"
    }

    func storedBody(_ url: String, of feed: String) async -> StoredBody? {
        guard let content = FileManager.default.contents(atPath: path(url)) else { return nil }
        return (try? JSONDecoder().decode([String: StoredBody].self, from: content))?[url]
    }

    func keep(_ body: StoredBody, _ url: String, of feed: String) async {
        let file = AtomicFile(path: path(url))
        guard let content = try? JSONEncoder().encode([url: body]) else { return }
        try? file.makeFolder()
        try? file.replace(with: Array(content))
    }

    func wait(of feed: String) async -> StoredCooldown? { await daemon.wait(of: feed) }
    func keep(_ wait: StoredCooldown?, of feed: String) async { await daemon.keep(wait, of: feed) }
    func countRequest(of feed: String, in month: UTCMonth) async -> Int {
        await daemon.countRequest(of: feed, in: month)
    }
    func requests(of feed: String, in month: UTCMonth) async -> Int { await daemon.requests(of: feed, in: month) }

    /// One file for each host and path: a URL with another query replaces it, so that searches do not accumulate.
    private func path(_ url: String) -> String {
        let place = url.prefix { $0 != "?" }
        let name = place.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == ".") ? String($0) : "-" }.joined()
        return folder + "/" + name.suffix(150) + ".json"
    }
}

extension NetworkTransport {
    /// The network for one command.
    static func whileOpen<T>(_ body: (NetworkTransport) async throws -> T) async throws -> T {
        let network = try NetworkTransport()
        do {
            let result = try await body(network)
            await network.shutdown()
            return result
        } catch {
            await network.shutdown()
            throw error
        }
    }
}
