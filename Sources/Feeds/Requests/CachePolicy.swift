import Foundation
import HTTP

/// When a stored answer may be used.
package enum CachePolicy: Sendable, Hashable {
    /// Sends `If-None-Match` and `If-Modified-Since`; a 304 returns the stored answer.
    case revalidate
    /// Ignores the stored answer.
    case reload
    /// Returns the stored answer if it is younger than this, else revalidates.
    case cachedIfFresh(Duration)
    /// Never sends a request.
    case cachedOnly
}

/// The validators of an answer, for conditional requests.
package struct Validators: Sendable, Hashable, Codable {
    package var etag: String?
    package var lastModified: String?

    package init(etag: String?, lastModified: String?) {
        self.etag = etag
        self.lastModified = lastModified
    }

    /// Nil if the answer has neither.
    init?(_ headers: HTTPFields) {
        etag = headers["ETag"]
        lastModified = headers["Last-Modified"]
        if etag == nil && lastModified == nil { return nil }
    }

    var headers: [(name: String, value: String)] {
        var headers: [(name: String, value: String)] = []
        if let etag { headers.append(("If-None-Match", etag)) }
        if let lastModified { headers.append(("If-Modified-Since", lastModified)) }
        return headers
    }

    /// False for a 304 that names another version than the requested one. Tags are compared weakly: caches turn `"a"`
    /// into `W/"a"` when they compress.
    func match(_ headers: HTTPFields) -> Bool {
        guard let etag, let answered = headers["ETag"] else { return true }
        return Self.opaque(etag) == Self.opaque(answered)
    }

    private static func opaque(_ tag: String) -> Substring {
        tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
    }
}

/// A body stored across restarts, for id lists only.
package struct StoredBody: Sendable, Hashable, Codable {
    package var body: Data
    package var validators: Validators?
    /// When the provider last confirmed this answer.
    package var confirmedAt: Date

    package init(body: Data, validators: Validators?, confirmedAt: Date) {
        self.body = body
        self.validators = validators
        self.confirmedAt = confirmedAt
    }
}
