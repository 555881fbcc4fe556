import Foundation
import HTTP
import Markets
import Synchronization

@testable import Feeds

/// A provider that answers by script: the first request gets the first answer, and the last one stays.
final class ScriptedTransport: HTTPTransport {
    typealias Reply = Result<HTTPAnswer, TransportFault>

    private let script: @Sendable (Int, WireRequest) -> Reply
    private let seen = Mutex<[(request: WireRequest, at: Date)]>([])
    private let time: ManualTime

    init(_ time: ManualTime, _ script: @escaping @Sendable (_ number: Int, WireRequest) -> Reply) {
        self.time = time
        self.script = script
    }

    convenience init(_ time: ManualTime, _ replies: [Reply]) {
        self.init(time) { number, _ in replies[min(number, replies.count) - 1] }
    }

    var requests: [WireRequest] { seen.withLock { $0.map(\.request) } }
    var times: [Date] { seen.withLock { $0.map(\.at) } }

    func exchange(_ request: WireRequest, within timeout: Duration) async throws(TransportFault) -> HTTPAnswer {
        let number = seen.withLock {
            $0.append((request, time.now()))
            return $0.count
        }
        return try script(number, request).get()
    }
}

extension Result where Success == HTTPAnswer, Failure == TransportFault {
    static func json(_ text: String, _ status: Int = 200, _ headers: [(String, String)] = []) -> Self {
        let fields = headers.map { (name: $0.0, value: $0.1) }
        return .success(
            HTTPAnswer(
                status: status, headers: HTTPFields(fields + [("Content-Type", "application/json; charset=utf-8")]),
                body: Data(text.utf8)))
    }
}
