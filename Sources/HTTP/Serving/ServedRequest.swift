import NIOHTTP1

/// A request to our own server: its method and its target, without a body.
package struct ServedRequest: Sendable {
    /// `GET`, `HEAD`, or what the client made up.
    package var method: String
    /// Path and query as sent, at most 8 KiB.
    package var target: String
    package var fields: HTTPFields

    package init(_ method: String = "GET", _ target: String, _ fields: HTTPFields) {
        self.method = method
        self.target = target
        self.fields = fields
    }

    init(_ head: HTTPRequestHead) {
        self.init(head.method.rawValue, head.uri, HTTPFields(head.headers.map { (name: $0.name, value: $0.value) }))
    }

    /// The host that the client believes to speak to; nil unless there is exactly one `Host`.
    package var host: String? {
        let hosts = fields.all.filter { $0.name.lowercased() == "host" }
        return hosts.count == 1 ? hosts[0].value : nil
    }
}

/// The whole reply of our own server. A HEAD is replied to like a GET: the server leaves the body out.
package struct ServedReply: Sendable {
    package var status: Int
    package var fields: HTTPFields
    package var body: [UInt8]

    package init(_ status: Int = 200, _ fields: HTTPFields = [:], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// The connection is closed after each reply: a second request would need limits of its own, and the clients are a
    /// reverse proxy or a browser beside us.
    var head: HTTPResponseHead {
        var headers = HTTPHeaders(fields.all.map { ($0.name, $0.value) })
        headers.add(name: "Connection", value: "close")
        let status = HTTPResponseStatus(statusCode: status)
        if status.mayHaveResponseBody { headers.add(name: "Content-Length", value: "\(body.count)") }
        return HTTPResponseHead(version: .http1_1, status: status, headers: headers)
    }
}
