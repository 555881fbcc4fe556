import Foundation
import HTTP
import Markets

/// The texts about a delivery over HTTP. None holds the channel's secrets, even if the service's answer does.
struct DeliveryTexts {
    private let operation: String
    private let service: HTTPService
    private let redaction: Redaction

    init(channel: String, _ service: HTTPService) {
        operation = "send to \(channel) (\(service.kind))"
        self.service = service
        // The last path component is the token or the topic, and is hidden even if short.
        let last = URLComponents(string: service.url)?.percentEncodedPath.split(separator: "/").last
        redaction = Redaction(
            service.secrets + [last.map(String.init)].compactMap { $0 }, url: service.url, hidesHost: true)
    }

    /// `204 No Content`, `200 OK: "ok"`
    func receipt(_ answer: HTTPAnswer) -> String {
        answer.statusText + (answer.body.isEmpty ? "" : ": \(quoted(answer.body, atMost: 80))")
    }

    func refusal(_ answer: HTTPAnswer) -> String {
        let failure = ServiceFailure(answer.body)
        var text = "\(operation): \(answer.statusText)"
        if let cause = failure.cause {
            text += ": \(safe(cause, atMost: 200))"
        } else if !answer.body.isEmpty {
            text += ": \(quoted(answer.body, atMost: 200))"
        }
        let hint = service.hint(answer.status, failure) ?? Self.hint(answer.status)
        return text + (hint.map { " (\($0))" } ?? "")
    }

    /// For any service.
    private static func hint(_ status: Int) -> String? {
        switch status {
        case 300...399: "redirects are not followed: give the URL that it leads to"
        case 401, 403, 404, 405, 410: "check the URL"
        default: nil
        }
    }

    func failure(_ fault: TransportFault) -> String {
        "\(operation): \(safe(fault.cause, atMost: 200))"
    }

    private func quoted(_ body: Data, atMost length: Int) -> String {
        "\"\(safe(String(decoding: body, as: UTF8.self), atMost: length))\""
    }

    /// Hides secrets before truncating: part of a secret would not be recognised.
    private func safe(_ text: String, atMost length: Int) -> String {
        SafeText.printable(redaction.apply(to: text).trimmingCharacters(in: .whitespacesAndNewlines), atMost: length)
    }
}
