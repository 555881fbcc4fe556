import Foundation

/// A question to a provider together with the type of its answer.
///
/// It names only what belongs to the question. Where it goes, with which key, and how long it may take
/// stands in the `FeedEnvironment`.
public protocol FeedRequest<Response>: Sendable {
    associatedtype Response: Sendable

    var method: RequestMethod { get }
    /// Appended to the base URL of the environment.
    var path: RequestPath { get }
    var query: [URLQueryItem] { get }
    /// Beside `Accept`, `User-Agent`, the key and the validators, which are added when it is sent.
    var headers: [(name: String, value: String)] { get }
    var body: RequestBody? { get }
    var acceptedStatus: ClosedRange<Int> { get }
    var acceptedContent: AcceptedContent { get }
    var cachePolicy: CachePolicy { get }
    /// Bytes of the unpacked body; what is larger is cut off while it arrives.
    var bodyLimit: Int { get }

    /// Where it goes. `key` is nil where the URL is needed as a name for what is asked.
    func url(below base: BaseURL, key: Secret?) -> String
    /// Reads the body of an accepted answer. Throws `UnreadableBody` with the reason where it cannot.
    func decode(_ body: Data) throws(UnreadableBody) -> Response
}

extension FeedRequest {
    public var method: RequestMethod { .get }
    public var query: [URLQueryItem] { [] }
    public var headers: [(name: String, value: String)] { [] }
    public var body: RequestBody? { nil }
    public var acceptedStatus: ClosedRange<Int> { 200...299 }
    public var acceptedContent: AcceptedContent { .json }
    public var cachePolicy: CachePolicy { .revalidate }
    public var bodyLimit: Int { 8 << 20 }
    public func url(below base: BaseURL, key: Secret?) -> String { base.url(path: path, query: query) }
}

extension FeedRequest where Response: Decodable {
    public func decode(_ body: Data) throws(UnreadableBody) -> Response {
        try UnreadableBody.reading(body) { try JSONDecoder().decode(Response.self, from: $0) }
    }
}

public enum RequestMethod: String, Sendable {
    case get = "GET"
    case post = "POST"
}

/// What a request sends along.
public enum RequestBody: Sendable {
    case json(any Encodable & Sendable)
    case form([URLQueryItem])

    var contentType: String {
        switch self {
        case .json: "application/json"
        case .form: "application/x-www-form-urlencoded"
        }
    }

    func encoded() throws -> Data {
        switch self {
        case .json(let value):
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return try encoder.encode(value)
        case .form(let items):
            return Data(QueryText.encoded(items).utf8)
        }
    }
}
