import Foundation
import HTTP
import Markets

/// Where the lines are sent, and as whom.
package struct ExportAddress: Hashable, Sendable {
    /// The engine's write API, with its path; may hold secrets in its query.
    package var url: Secret
    package var credentials: Credentials?
    /// Headers beside those of every request; their values are secrets.
    package var headers: [SecretHeader]
    /// Where the engine is read back: the URL in front of `/api/v1/export`; nil: follows from `url` or is unknown.
    package var query: Secret?

    package init(
        url: Secret, credentials: Credentials? = nil, headers: [SecretHeader] = [], query: Secret? = nil
    ) {
        self.url = url
        self.credentials = credentials
        self.headers = headers
        self.query = query
    }

    /// Changes with where the lines are sent, not with the credentials, and holds no secret.
    package var fingerprint: String { StableID.of(["influx", url.revealed]) }

    /// Without the query, which may hold secrets: `https://vm.example/insert/0/influx/write`.
    package var shown: String { Self.shown(url) }

    static func shown(_ url: Secret) -> String {
        guard var parts = URLComponents(string: url.revealed) else { return "" }
        parts.percentEncodedQuery = nil
        return parts.string ?? ""
    }

    /// The host of the write API: the name of an export that has no other.
    package var host: String? { URLComponents(string: url.revealed)?.host }

    /// The write API with `precision=ms`: without it, times would be nanoseconds.
    var writeURL: String {
        let text = url.revealed
        let items = URLComponents(string: text)?.queryItems ?? []
        if items.contains(where: { $0.name == "precision" }) { return text }
        return text + (text.contains("?") ? "&" : "?") + "precision=ms"
    }

    /// What authorises a request, and the headers of the configuration.
    var fields: [(name: String, value: String)] {
        var fields = headers.map { ($0.name, $0.value.revealed) }
        if let credentials { fields.append(("Authorization", credentials.authorization)) }
        return fields
    }

    /// Hides the credentials, the headers' values, and what the query holds beside names such as the database's, which
    /// the user must read in the engine's words.
    var redaction: Redaction {
        let plain: Set = ["db", "precision", "rp", "org", "orgID", "bucket", "consistency"]
        var secrets = headers.map(\.value.revealed)
        for url in [url, query].compactMap(\.self) {
            let items = URLComponents(string: url.revealed)?.queryItems ?? []
            secrets += items.filter { !plain.contains($0.name) }.compactMap(\.value)
        }
        return Redaction(secrets + (credentials?.secrets ?? []))
    }
}

// MARK: Reading back

extension ExportAddress {
    /// The URL in front of `/api/v1/export` of a VictoriaMetrics; nil if the write API does not tell it.
    package var readBase: String? {
        if let query { return query.revealed.withoutEndingSlashes }
        guard var parts = URLComponents(string: url.revealed) else { return nil }
        parts.percentEncodedQuery = nil
        let path = parts.percentEncodedPath.withoutEndingSlashes
        if let cluster = path.wholeMatch(of: /(.*)\/insert\/([^\/]+)\/influx\/(?:api\/v2\/)?write/) {
            parts.percentEncodedPath = "\(cluster.1)/select/\(cluster.2)/prometheus"
        } else if let single = path.wholeMatch(of: /(.*?)(?:\/influx)?(?:\/api\/v2)?\/write/) {
            parts.percentEncodedPath = String(single.1)
        } else {
            return nil
        }
        return parts.string
    }

    /// Whether it is written to by vminsert.
    var isCluster: Bool { url.revealed.contains("/insert/") }

    /// The database that the write API names: VictoriaMetrics makes it a label.
    var database: String? {
        URLComponents(string: url.revealed)?.queryItems?.first { $0.name == "db" }?.value
    }

    /// Scheme, host and port of the read API.
    var readOrigin: String? {
        guard let base = readBase, var parts = URLComponents(string: base) else { return nil }
        parts.percentEncodedPath = ""
        parts.percentEncodedQuery = nil
        return parts.string
    }
}
