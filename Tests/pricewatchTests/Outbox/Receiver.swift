import Foundation
import MarketSimulator
import Synchronization

/// A webhook's other end on loopback, which answers as the test says and keeps what it was sent.
final class Receiver: Sendable {
    /// What it does with the next requests; afterwards it takes everything.
    private let answers: Mutex<[LoopbackServer.Reply]>
    private let received = Mutex<[Delivery]>([])
    private let server: Mutex<LoopbackServer?>
    let port: Int

    struct Delivery: Sendable {
        var key: String
        /// `firing btc-high bitcoin`
        var events: [String]
        var note: String?
        var wasTaken: Bool
    }

    private struct Body: Decodable {
        var events: [Event]
        var note: Note?

        struct Event: Decodable {
            var event: String
            var rule: String
            var market: String
        }

        struct Note: Decodable { var kind: String }
    }

    private final class Handler: Sendable {
        let act = Mutex<(@Sendable (LoopbackServer.Request) -> LoopbackServer.Reply)?>(nil)
    }

    /// - Parameter port: 0: one that is free.
    init(_ answers: [LoopbackServer.Reply] = [], port: Int = 0) async throws {
        self.answers = Mutex(answers)
        let handler = Handler()
        let server = try await LoopbackServer.start(port: port) { request in
            handler.act.withLock { $0 }?(request) ?? .json("{}", status: 503)
        }
        self.port = server.port
        self.server = Mutex(server)
        handler.act.withLock { $0 = { [weak self] request in self?.take(request) ?? .reset } }
    }

    var url: String { "http://127.0.0.1:\(port)/hook" }
    var all: [Delivery] { received.withLock { $0 } }
    var taken: [Delivery] { all.filter(\.wasTaken) }

    private func take(_ request: LoopbackServer.Request) -> LoopbackServer.Reply {
        let answer = answers.withLock { $0.isEmpty ? LoopbackServer.Reply.json("{}") : $0.removeFirst() }
        let body = try? JSONDecoder().decode(Body.self, from: Data(request.body))
        let wasTaken = answer.transfer == .whole && (200...299).contains(answer.status)
        received.withLock {
            $0.append(
                Delivery(
                    key: request.headers["idempotency-key"] ?? "",
                    events: body?.events.map { "\($0.event) \($0.rule) \($0.market)" } ?? [], note: body?.note?.kind,
                    wasTaken: wasTaken))
        }
        return answer
    }

    func stop() async {
        let server = server.withLock { server in
            defer { server = nil }
            return server
        }
        await server?.stop()
    }
}
