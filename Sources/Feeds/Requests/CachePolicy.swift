import Foundation

/// When a stored answer may stand for a new one.
public enum CachePolicy: Sendable, Hashable {
    /// Asks with `If-None-Match` and `If-Modified-Since`; a 304 serves what is stored.
    case revalidate
    /// Asks for everything anew.
    case reload
    /// Serves what is stored while it is younger than this, then revalidates.
    case cachedIfFresh(Duration)
    /// Never asks.
    case cachedOnly
}

/// What a provider gave along so that one can ask "has it changed since?".
public struct Validators: Sendable, Hashable, Codable {
    public var etag: String?
    public var lastModified: String?

    public init(etag: String?, lastModified: String?) {
        self.etag = etag
        self.lastModified = lastModified
    }

    /// Nil where the answer carried neither.
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

    /// False for a 304 that names another version than the one asked about. Tags are compared weakly:
    /// caches turn `"a"` into `W/"a"` when they compress.
    func match(_ headers: HTTPFields) -> Bool {
        guard let etag, let answered = headers["ETag"] else { return true }
        return Self.opaque(etag) == Self.opaque(answered)
    }

    private static func opaque(_ tag: String) -> Substring {
        tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
    }
}

/// A body kept across restarts, for id lists alone.
public struct StoredBody: Sendable, Hashable {
    public var body: Data
    public var validators: Validators?
    /// When the provider last said that this is the current answer.
    public var confirmedAt: Date

    public init(body: Data, validators: Validators?, confirmedAt: Date) {
        self.body = body
        self.validators = validators
        self.confirmedAt = confirmedAt
    }
}
