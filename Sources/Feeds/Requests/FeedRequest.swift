import Foundation
import HTTP

/// A request to a provider, with the type of its answer.
///
/// Holds only what belongs to the request. Base URL, key and timeout are in the `FeedEnvironment`.
package protocol FeedRequest<Response>: Sendable {
    associatedtype Response: Sendable

    var method: RequestMethod { get }
    /// Appended to the base URL of the environment.
    var path: RequestPath { get }
    var query: [URLQueryItem] { get }
    /// Headers beside `Accept`, `User-Agent`, the key and the validators, which are added when it is sent.
    var headers: [(name: String, value: String)] { get }
    var body: RequestBody? { get }
    var acceptedStatus: ClosedRange<Int> { get }
    var acceptedContent: AcceptedContent { get }
    var cachePolicy: CachePolicy { get }
    /// The maximum size of the decompressed body in bytes; the transfer is cut off there.
    var bodyLimit: Int { get }

    /// The full URL. `key` is nil if the URL only identifies the request.
    func url(below base: BaseURL, key: Secret?) -> String
    /// Decodes the body of an accepted answer. Throws `UnreadableBody` with the reason.
    func decode(_ body: Data) throws(UnreadableBody) -> Response
}

extension FeedRequest {
    package var method: RequestMethod { .get }
    package var query: [URLQueryItem] { [] }
    package var headers: [(name: String, value: String)] { [] }
    package var body: RequestBody? { nil }
    package var acceptedStatus: ClosedRange<Int> { 200...299 }
    package var acceptedContent: AcceptedContent { .json }
    package var cachePolicy: CachePolicy { .revalidate }
    package var bodyLimit: Int { 8 << 20 }
    package func url(below base: BaseURL, key: Secret?) -> String { base.url(path: path, query: query) }
}

extension FeedRequest where Response: Decodable {
    package func decode(_ body: Data) throws(UnreadableBody) -> Response {
        try UnreadableBody.reading(body) { try JSONDecoder().decode(Response.self, from: $0) }
    }
}

/// The body of a request.
package enum RequestBody: Sendable {
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

/// The content types that a request accepts.
package enum AcceptedContent: String, CaseIterable, Sendable {
    /// `application/json`, `text/json` and every `application/…+json`.
    case json
    /// Any type, for servers that send JSON as `text/plain`.
    case any

    var acceptHeader: String {
        switch self {
        case .json: "application/json"
        case .any: "application/json, */*;q=0.5"
        }
    }

    /// Whether a `Content-Type` is accepted, with or without a charset. A missing one is accepted: the body decides.
    func admits(_ contentType: String?) -> Bool {
        guard self == .json, let contentType else { return true }
        let type = MediaType.name(of: contentType)
        return type == "application/json" || type == "text/json"
            || (type.hasPrefix("application/") && type.hasSuffix("+json"))
    }
}

enum MediaType {
    /// `text/html` from `Text/HTML; charset=utf-8`.
    static func name(of contentType: String) -> String {
        let name = contentType.prefix { $0 != ";" && $0 != "," }
        return name.filter { !$0.isWhitespace }.lowercased()
    }
}
