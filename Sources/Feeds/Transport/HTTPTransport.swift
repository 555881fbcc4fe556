import Foundation

/// The one seam to the network: tests put their own behind it.
public protocol HTTPTransport: Sendable {
    /// Sends a request and reads its answer to the end, all within `timeout`. Redirects are handed back as
    /// they are.
    func exchange(_ request: WireRequest, within timeout: Duration) async throws(TransportFault) -> HTTPAnswer
}

/// A request as it goes out.
public struct WireRequest: Sendable {
    public var method: RequestMethod
    public var url: String
    public var headers: HTTPFields
    public var body: Data?
    /// Bytes of the unpacked body of the answer.
    public var bodyLimit: Int

    public init(method: RequestMethod, url: String, headers: HTTPFields, body: Data?, bodyLimit: Int) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.bodyLimit = bodyLimit
    }
}

/// An answer, of which at least the head arrived.
public struct HTTPAnswer: Sendable {
    public var status: Int
    public var headers: HTTPFields
    /// Unpacked.
    public var body: Data
    /// What ended the body too early. A status that is an error of itself still counts then.
    public var cut: TransportFault?

    public init(status: Int, headers: HTTPFields, body: Data, cut: TransportFault? = nil) {
        self.status = status
        self.headers = headers
        self.body = body
        self.cut = cut
    }
}

/// What can go wrong before there is a whole answer. Texts come from the system and are for people.
public enum TransportFault: Error, Hashable, Sendable {
    case dns(String)
    case connect(String)
    case tls(String)
    case timeout(Duration)
    /// The connection broke, or what came over it was not HTTP.
    case transport(String)
    case tooLarge(limit: Int)
    /// The caller's task was cancelled.
    case cancelled
}
