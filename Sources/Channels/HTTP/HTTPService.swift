import Foundation

/// A service that takes messages as HTTP requests: its request format, and the meaning of its errors.
protocol HTTPService: Sendable {
    /// The service's name in the configuration.
    static var kind: String { get }
    /// Where messages are posted. Is or holds a secret.
    var url: String { get }
    /// Further secrets to hide in texts.
    var secrets: [String] { get }
    /// Headers beside those of every request.
    var headers: [(name: String, value: String)] { get }

    /// JSON.
    func body(for message: Message) -> [UInt8]
    /// The meaning of an error answer's body.
    func diagnose(status: Int, _ body: Data) -> Diagnosis
}

extension HTTPService {
    var secrets: [String] { [] }
    var headers: [(name: String, value: String)] { [] }
}

/// A service's explanation of an error.
struct Diagnosis {
    /// In the service's words; nil: the beginning of the body is quoted.
    var cause: String?
    var hint: String?
    /// The wait requested in the body.
    var retryAfter: Duration?
}

extension Duration {
    /// From a wait in seconds, with or without decimals, rounded up; nil if out of range.
    init?(waitSeconds seconds: Double?) {
        guard let seconds, seconds > 0, seconds <= 32 * 86_400 else { return nil }
        self = .milliseconds(Int64((seconds * 1000).rounded(.up)))
    }
}
