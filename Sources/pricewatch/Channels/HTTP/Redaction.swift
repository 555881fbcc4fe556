import Foundation

/// Takes a channel's secrets out of a text that somebody else wrote: a server quotes the path it was asked for, the
/// system names the host it did not find.
struct Redaction {
    /// The longest first, so that no part is left of a longer one.
    private let secrets: [String]

    init(url: String, secrets: [String]) {
        var found = Set(secrets)
        found.insert(url)
        if let components = URLComponents(string: url) {
            let path = components.percentEncodedPath
            let query = components.percentEncodedQuery.map { "?\($0)" } ?? ""
            found.insert(components.host ?? "")
            found.formUnion([path, path + query])
            // The last part is the token or the topic; what comes before it may be plain words such as `services`.
            let parts = path.split(separator: "/").map(String.init)
            found.formUnion(parts.filter { $0.utf8.count > 8 })
            found.insert(parts.last ?? "")
            found.formUnion((components.queryItems ?? []).compactMap(\.value).filter { $0.utf8.count > 8 })
        }
        found.formUnion(found.compactMap(\.removingPercentEncoding))
        found.formUnion(found.map { $0.replacing("/", with: "\\/") })
        self.secrets = found.filter { $0.utf8.count >= 4 }.sorted { ($0.utf8.count, $0) > ($1.utf8.count, $1) }
    }

    func apply(to text: String) -> String {
        secrets.reduce(text) { $0.replacingOccurrences(of: $1, with: "***", options: .caseInsensitive) }
    }
}
