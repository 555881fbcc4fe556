import Foundation

/// Takes what we sent as secrets out of what a server says back, before any of it is cut: half a secret would be found
/// no more.
struct Redaction: Sendable {
    /// The longest first, so that no part is left of a longer one.
    private let secrets: [String]

    /// Errors are short; of anything longer only the beginning is ever quoted.
    private static let longest = 64 << 10
    private static let quoted = 1 << 10

    /// - Parameter headers: A value may hold a secret beside a word such as `Bearer`.
    init(key: Secret?, headers: [(name: String, value: String)]) {
        var found: Set<String> = []
        if let key = key?.revealed, key.utf8.count >= 4 { found.insert(key) }
        for (_, value) in headers {
            found.formUnion(([value] + value.split(separator: " ").map(String.init)).filter { $0.utf8.count >= 8 })
        }
        found.formUnion(found.compactMap { $0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) })
        found.formUnion(found.compactMap { $0.addingPercentEncoding(withAllowedCharacters: .urlQueryAllowed) })
        found.formUnion(found.map { $0.replacing("/", with: "\\/") })
        secrets = found.sorted { ($0.utf8.count, $0) > ($1.utf8.count, $1) }
    }

    func apply(to text: String) -> String { secrets.reduce(text) { $0.replacing($1, with: "(secret)") } }

    /// The answer for whoever looks for an error in it.
    func apply(to answer: HTTPAnswer) -> HTTPAnswer {
        guard !secrets.isEmpty else { return answer }
        var answer = answer
        let beginning = answer.body.count <= Self.longest ? answer.body : answer.body.prefix(Self.quoted)
        if secrets.contains(where: { beginning.range(of: Data($0.utf8)) != nil }) {
            answer.body = Data(apply(to: String(decoding: beginning, as: UTF8.self)).utf8)
        }
        answer.headers = HTTPFields(
            answer.headers.all.map { ($0.name, $0.name.lowercased() == "location" ? apply(to: $0.value) : $0.value) })
        return answer
    }
}
