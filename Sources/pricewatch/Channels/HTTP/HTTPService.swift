import Foundation

/// A service that takes messages as HTTP requests: what it wants to be sent, and what its errors mean.
protocol HTTPService: Sendable {
    /// As the configuration calls it.
    static var kind: String { get }
    /// Where messages are posted. It is a secret, or holds one.
    var url: String { get }
    /// Further secrets, which no text may hold either.
    var secrets: [String] { get }
    /// Beside those that every request has.
    var headers: [(name: String, value: String)] { get }

    /// JSON.
    func body(for message: Message) -> [UInt8]
    /// What the body of an error answer says.
    func diagnose(status: Int, _ body: Data) -> Diagnosis
}

extension HTTPService {
    var secrets: [String] { [] }
    var headers: [(name: String, value: String)] { [] }
}

/// What a service says is wrong.
struct Diagnosis {
    /// In its own words; nil: the beginning of its answer is quoted.
    var cause: String?
    var cure: String?
    /// Where the answer's body says how long to wait.
    var retryAfter: Duration?
}

extension Duration {
    /// As the services write it: seconds, perhaps with decimals, rounded up; nil where it cannot be obeyed.
    init?(waitSeconds seconds: Double?) {
        guard let seconds, seconds > 0, seconds <= 32 * 86_400 else { return nil }
        self = .milliseconds(Int64((seconds * 1000).rounded(.up)))
    }
}
