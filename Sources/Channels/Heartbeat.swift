import Foundation
import HTTP
import Markets

/// A heartbeat for an external monitor: one GET.
package enum Heartbeat {
    private static let timeout = Duration.seconds(20)

    /// Returns the error; nil on success.
    package static func send(to url: String, over transport: any HTTPTransport) async -> String? {
        let request = WireRequest(
            url: url, headers: ["User-Agent": "pricewatch/\(Version.current)"],
            bodyLimit: 64 << 10)
        let words = DeliveryTexts(channel: "heartbeat", Monitor(url: url))
        do {
            let answer = try await transport.exchange(request, within: timeout)
            return (200...299).contains(answer.status) ? nil : words.refusal(answer, Diagnosis())
        } catch {
            return words.failure(error)
        }
    }
}

/// The heartbeat's receiver, for the texts of its errors.
private struct Monitor: HTTPService {
    static let kind = "GET"
    let url: String

    func body(for message: Message) -> [UInt8] { [] }
    func diagnose(status: Int, _ body: Data) -> Diagnosis { Diagnosis() }
}
