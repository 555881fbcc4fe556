import Foundation
import HTTP

/// A request to a provider (GET), with the type of its answer.
///
/// Holds only what belongs to the request. Base URL, key and timeout are in the `FeedEnvironment`.
package protocol FeedRequest<Response>: Sendable {
    associatedtype Response: Sendable

    /// Appended to the base URL of the environment; percent-encoded, begins with a slash.
    var path: String { get }
    var query: RequestQuery { get }
    var acceptedContent: AcceptedContent { get }
    var cachePolicy: CachePolicy { get }

    /// The full URL. `key` is nil if the URL only identifies the request.
    func url(below base: BaseURL, key: Secret?) -> String
    /// Decodes the body of an accepted answer. Throws `UnreadableBody` with the reason.
    func decode(_ body: Data) throws(UnreadableBody) -> Response
}

extension FeedRequest {
    package var query: RequestQuery { [:] }
    package var acceptedContent: AcceptedContent { .json }
    package var cachePolicy: CachePolicy { .revalidate }
    package func url(below base: BaseURL, key: Secret?) -> String { base.url(path: path, query: query) }
}

/// The content types that a request accepts.
package enum AcceptedContent: String, CaseIterable, Sendable {
    /// `application/json`, `text/json` and every `application/…+json`.
    case json
    /// Any type, for servers that send JSON as `text/plain`.
    case any

    var acceptHeader: String { self == .json ? "application/json" : "application/json, */*;q=0.5" }

    /// - Parameter type: such as `text/json`. Nil, where the server states none, is accepted: the body decides.
    func admits(_ type: String?) -> Bool {
        guard self == .json, let type else { return true }
        return type == "application/json" || type == "text/json"
            || (type.hasPrefix("application/") && type.hasSuffix("+json"))
    }
}

/// When a stored answer may be used.
package enum CachePolicy: Sendable, Hashable {
    /// Sends `If-None-Match` and `If-Modified-Since`; a 304 returns the stored answer.
    case revalidate
    /// Returns the stored answer if it is younger than this, else revalidates.
    case cachedIfFresh(Duration)
    /// Never sends a request.
    case cachedOnly
}

/// The validators of an answer, for conditional requests.
package struct Validators: Sendable, Hashable, Codable {
    var etag: String?
    var lastModified: String?
}

extension Validators {
    /// Nil if the answer has neither.
    init?(_ headers: HTTPFields) {
        self.init(etag: headers["ETag"], lastModified: headers["Last-Modified"])
        if etag == nil && lastModified == nil { return nil }
    }

    /// False for a 304 that names another version than the requested one. Tags are compared weakly: caches turn `"a"`
    /// into `W/"a"` when they compress.
    func match(_ headers: HTTPFields) -> Bool {
        guard let etag, let answered = headers["ETag"] else { return true }
        return etag.trimmingPrefix("W/") == answered.trimmingPrefix("W/")
    }
}

/// A body stored across restarts, for id lists only.
package struct StoredBody: Sendable, Hashable, Codable {
    package var body: Data
    package var validators: Validators?
    /// When the provider last confirmed this answer.
    package var confirmedAt: Date
}
