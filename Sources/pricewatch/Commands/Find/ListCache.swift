import Feeds
import Foundation
import History
import Markets

/// Caches id lists in the user's own cache folder: `find` is for every user, and only the daemon's user can write the
/// database. If the folder is not writable, nothing is cached.
actor ListCache: FeedMemory {
    private let folder: String
    /// Keeps everything but the lists.
    private let rest: any FeedMemory

    init(folder: String, beside rest: any FeedMemory) {
        self.folder = folder
        self.rest = rest
    }

    /// `$CACHE_DIRECTORY`, else `$XDG_CACHE_HOME/pricewatch`, else `~/.cache/pricewatch`.
    static func folder(_ host: HostEnvironment) -> String {
        if let own = host["CACHE_DIRECTORY"]?.split(separator: ":").first { return String(own) }
        if let caches = host["XDG_CACHE_HOME"], caches.hasPrefix("/") { return caches + "/pricewatch" }
        return host.home + "/.cache/pricewatch"
    }

    func storedBody(_ url: String, of feed: String) async -> StoredBody? {
        guard let content = FileManager.default.contents(atPath: path(url)),
            let kept = try? JSONDecoder().decode(Kept.self, from: content), kept.url == url
        else { return nil }
        return StoredBody(body: kept.body, validators: kept.validators, confirmedAt: kept.confirmedAt)
    }

    func keep(_ body: StoredBody, _ url: String, of feed: String) async {
        let kept = Kept(url: url, body: body.body, validators: body.validators, confirmedAt: body.confirmedAt)
        let file = AtomicFile(path: path(url))
        guard let content = try? JSONEncoder().encode(kept) else { return }
        try? file.makeFolder()
        try? file.replace(with: Array(content))
    }

    func wait(of feed: String) async -> StoredCooldown? { await rest.wait(of: feed) }
    func keep(_ wait: StoredCooldown?, of feed: String) async { await rest.keep(wait, of: feed) }
    func countRequest(of feed: String, in month: UTCMonth) async -> Int {
        await rest.countRequest(of: feed, in: month)
    }
    func requests(of feed: String, in month: UTCMonth) async -> Int { await rest.requests(of: feed, in: month) }

    /// One file for each host and path: a URL with another query replaces it, so that searches do not accumulate.
    private func path(_ url: String) -> String {
        let place = url.prefix { $0 != "?" }
        let name = place.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == ".") ? String($0) : "-" }.joined()
        return folder + "/" + name.suffix(150) + ".json"
    }

    private struct Kept: Codable {
        var url: String
        var body: Data
        var validators: Validators?
        var confirmedAt: Date
    }
}
