import Foundation
import HTTP
import Markets

/// The texts about a delivery over HTTP. None holds the channel's secrets, even if the service's answer does.
struct DeliveryTexts {
    private let operation: String
    private let redaction: Redaction

    init<Service: HTTPService>(channel: String, _ service: Service) {
        operation = "send to \(channel) (\(Service.kind))"
        // The last path component is the token or the topic, and is hidden even if short.
        let last = URLComponents(string: service.url)?.percentEncodedPath.split(separator: "/").last
        redaction = Redaction(
            service.secrets + [last.map(String.init)].compactMap { $0 }, url: service.url, hidesHost: true)
    }

    /// `204 No Content`, `200 OK: "ok"`
    func receipt(_ answer: HTTPAnswer) -> String {
        let body = answer.body.isEmpty ? "" : ": \(quoted(answer.body, atMost: 80))"
        return HTTPStatus.text(answer.status) + body
    }

    func refusal(_ answer: HTTPAnswer, _ diagnosis: Diagnosis) -> String {
        var text = "\(operation): \(HTTPStatus.text(answer.status))"
        if let cause = diagnosis.cause, !cause.isEmpty {
            text += ": \(safe(cause, atMost: 200))"
        } else if !answer.body.isEmpty {
            text += ": \(quoted(answer.body, atMost: 200))"
        }
        let isRedirect = (300...399).contains(answer.status)
        let hint = diagnosis.hint ?? (isRedirect ? "redirects are not followed: give the URL that it leads to" : nil)
        return text + (hint.map { " (\($0))" } ?? "")
    }

    func failure(_ fault: TransportFault) -> String {
        let cause =
            switch fault {
            case .dns(let text): text
            case .connect(let text): "no connection: \(text)"
            case .tls(let text): "no secure connection: \(text)"
            case .timeout(let timeout): "no answer within \(timeout.unitsText)"
            case .transport(let text): text
            case .tooLarge(let limit): "the answer is larger than \(limit) bytes"
            case .cancelled: "stopped before it was answered"
            }
        return "\(operation): \(safe(cause, atMost: 200))"
    }

    private func quoted(_ body: Data, atMost length: Int) -> String {
        "\"\(safe(String(decoding: body, as: UTF8.self), atMost: length))\""
    }

    /// Hides secrets before truncating: part of a secret would not be recognised.
    private func safe(_ text: String, atMost length: Int) -> String {
        SafeText.printable(redaction.apply(to: text).trimmingCharacters(in: .whitespacesAndNewlines), atMost: length)
    }
}

enum HTTPStatus {
    /// `404 Not Found`; the number alone for a rare one.
    static func text(_ status: Int) -> String { names[status].map { "\(status) \($0)" } ?? "\(status)" }

    private static let names = [
        200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 301: "Moved Permanently", 302: "Found",
        303: "See Other", 304: "Not Modified", 307: "Temporary Redirect", 308: "Permanent Redirect",
        400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
        408: "Request Timeout", 409: "Conflict", 410: "Gone", 411: "Length Required", 413: "Content Too Large",
        415: "Unsupported Media Type", 422: "Unprocessable Content", 429: "Too Many Requests",
        500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable",
        504: "Gateway Timeout", 507: "Insufficient Storage",
    ]
}
