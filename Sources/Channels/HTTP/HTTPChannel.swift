import Foundation
import HTTP
import Markets

/// A channel that posts its messages to a service.
struct HTTPChannel<Service: HTTPService>: Channel {
    let name: String
    let service: Service
    let transport: any HTTPTransport
    let timeout: Duration
    /// For a `Retry-After` that is a date.
    let now: @Sendable () -> Date

    /// Bytes of an answer that are read.
    private static var bodyLimit: Int { 64 << 10 }

    /// Any 2xx is success, whatever the body. 408, 429, 5xx and transport errors may be retried; any other status is
    /// permanent.
    func deliver(_ message: Message) async throws(DeliveryError) -> Receipt {
        let words = DeliveryTexts(channel: name, service)
        let answer: HTTPAnswer
        do {
            answer = try await transport.exchange(request(for: message), within: timeout)
        } catch {
            throw DeliveryError(description: words.failure(error), isPermanent: false)
        }
        if (200...299).contains(answer.status) { return Receipt(answer: words.receipt(answer)) }
        let diagnosis = service.diagnose(status: answer.status, answer.body)
        let named = [answer.headers.retryAfter(now: now()), diagnosis.retryAfter].compactMap { $0 }.max()
        let isPassing = answer.status == 408 || answer.status == 429 || (500...599).contains(answer.status)
        throw DeliveryError(
            description: words.refusal(answer, diagnosis), isPermanent: !isPassing,
            retryAfter: isPassing ? named : nil)
    }

    private func request(for message: Message) -> WireRequest {
        var headers: HTTPFields = [
            "Content-Type": "application/json", "User-Agent": "pricewatch/\(Version.current)",
            "Idempotency-Key": message.id,
        ]
        for (name, value) in service.headers { headers.append(name, value) }
        return WireRequest(
            url: service.url, headers: headers, body: Data(service.body(for: message)),
            bodyLimit: Self.bodyLimit)
    }
}
