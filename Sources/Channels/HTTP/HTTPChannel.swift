import Foundation
import HTTP
import Markets

/// A service that takes messages as HTTP requests: its request format, and the meaning of its errors.
struct HTTPService: Sendable {
    /// The service's name in the configuration.
    var kind: String
    /// Where messages are posted. Is or holds a secret.
    var url: String
    /// Further secrets to hide in texts.
    var secrets: [String] = []
    /// Headers beside those of every request.
    var headers: [(name: String, value: String)] = []
    /// A message as the service takes it.
    var body: @Sendable (Message) -> JSONWriter
    /// What to do about an error answer with this status; nil if that is unknown.
    var hint: @Sendable (Int, ServiceFailure) -> String? = { _, _ in nil }
}

/// The body of an error answer. Every service has some of these fields.
struct ServiceFailure: Decodable {
    /// The body as text, whatever it is.
    var text = ""
    var code: Int?
    var parameters: Parameters?
    private var message: String?
    private var description: String?
    private var error: String?
    /// In seconds.
    private var retryAfter: Double?

    /// Telegram's.
    struct Parameters: Decodable {
        var retryAfter: Double?
        var migrateToChatId: Int64?
    }

    private enum CodingKeys: CodingKey { case code, parameters, message, description, error, retryAfter }

    init(_ body: Data) {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        self = (try? decoder.decode(ServiceFailure.self, from: body)) ?? ServiceFailure()
        text = String(decoding: body.prefix(80), as: UTF8.self)
    }

    private init() {}

    /// In the service's words; nil: the beginning of the body is quoted.
    var cause: String? { [message, description, error].compactMap { $0 }.first { !$0.isEmpty } }

    /// The wait requested in the body, rounded up; nil if there is none, or it is out of range.
    var wait: Duration? {
        guard let seconds = retryAfter ?? parameters?.retryAfter, seconds > 0, seconds <= 32 * 86_400 else {
            return nil
        }
        return .milliseconds(Int64((seconds * 1000).rounded(.up)))
    }
}

/// A channel that posts its messages to a service.
struct HTTPChannel: Channel {
    let name: String
    let service: HTTPService
    let transport: any HTTPTransport
    let timeout: Duration
    /// For a `Retry-After` that is a date.
    let now: @Sendable () -> Date

    /// Any 2xx is success, whatever the body. 408, 429, 5xx and transport errors may be retried; any other status is
    /// permanent.
    func deliver(_ message: Message) async throws(DeliveryError) -> String {
        let words = DeliveryTexts(channel: name, service)
        let answer: HTTPAnswer
        do {
            answer = try await transport.exchange(request(for: message), within: timeout)
        } catch {
            throw DeliveryError(description: words.failure(error), isPermanent: false)
        }
        if answer.isSuccess { return words.receipt(answer) }
        let wait = [answer.headers.retryAfter(now: now()), ServiceFailure(answer.body).wait].compactMap { $0 }.max()
        let isPassing = answer.status == 408 || answer.status == 429 || (500...599).contains(answer.status)
        throw DeliveryError(
            description: words.refusal(answer), isPermanent: !isPassing, retryAfter: isPassing ? wait : nil)
    }

    private func request(for message: Message) -> WireRequest {
        var headers = HTTPFields.ours
        headers.append("Content-Type", "application/json")
        headers.append("Idempotency-Key", message.id)
        for (name, value) in service.headers { headers.append(name, value) }
        return WireRequest(
            url: service.url, headers: headers, body: Data(service.body(message).bytes),
            bodyLimit: bodyLimit)
    }
}

/// A heartbeat for an external monitor: one GET.
package enum Heartbeat {
    private static let timeout = Duration.seconds(20)

    /// Returns the error; nil on success.
    package static func send(to url: String, over transport: any HTTPTransport) async -> String? {
        let words = DeliveryTexts(channel: "heartbeat", HTTPService(kind: "GET", url: url) { _ in JSONWriter() })
        let request = WireRequest(url: url, headers: .ours, body: nil, bodyLimit: bodyLimit)
        do {
            let answer = try await transport.exchange(request, within: timeout)
            return answer.isSuccess ? nil : words.refusal(answer)
        } catch {
            return words.failure(error)
        }
    }
}

/// Bytes of an answer that are read.
let bodyLimit = 64 << 10
