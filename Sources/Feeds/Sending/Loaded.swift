import Foundation
import Markets

/// A good answer to a request.
struct Loaded<Response: Sendable>: Sendable {
    enum Content: Sendable {
        case fresh(Response, body: Data)
        /// 304: what is known still holds.
        case notModified
    }

    var content: Content
    var headers: HTTPFields
    /// The moment the answer was complete.
    var at: Date

    var isUnchanged: Bool {
        if case .notModified = content { return true }
        return false
    }

    var serverDate: Date? { headers["Date"].flatMap(HTTPDate.parse) }

    var maxAge: Duration? {
        guard let control = headers["Cache-Control"] else { return nil }
        for part in control.split(separator: ",") {
            let pair = part.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard pair.count == 2, pair[0].lowercased() == "max-age", let seconds = Int64(pair[1]) else { continue }
            return .seconds(min(max(0, seconds), 31_536_000))
        }
        return nil
    }
}
