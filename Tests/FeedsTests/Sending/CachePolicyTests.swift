import Foundation
import HTTP
import Markets
import Testing

@testable import Feeds

@Suite("Cache policies")
struct CachePolicyTests {
    let time = ManualTime()
    let memory = TransientMemory()

    func client(_ transport: ScriptedTransport) throws -> FeedClient {
        FeedClient(
            CoinGecko(plan: .public), try environment(), transport: transport, memory: memory, time: time, random: { 1 }
        )
    }

    func list(_ id: String) -> ScriptedTransport.Reply {
        .json(#"[{"id":"\#(id)","symbol":"x","name":null}]"#, 200, [("ETag", "\"\(id)\"")])
    }

    func ids(_ client: FeedClient, _ policy: CachePolicy) async throws -> [String] {
        try await client.send(CoinGecko.CoinList(policy), within: .seconds(60)).map(\.id)
    }

    @Test func freshListsAreServedWithoutARequestAlsoAfterARestart() async throws {
        let transport = ScriptedTransport(time, [list("a"), list("b")])
        #expect(try await ids(client(transport), .cachedIfFresh(.hours(24))) == ["a"])
        time.step(.hours(23))
        #expect(try await ids(client(transport), .cachedIfFresh(.hours(24))) == ["a"])
        #expect(transport.requests.count == 1)
        time.step(.hours(1))
        #expect(try await ids(client(transport), .cachedIfFresh(.hours(24))) == ["b"])
        #expect(transport.requests[1].headers["If-None-Match"] == "\"a\"")
    }

    @Test func a304RenewsWhatIsStored() async throws {
        let transport = ScriptedTransport(
            time, [list("a"), .success(HTTPAnswer(status: 304, headers: [:], body: Data()))])
        let client = try client(transport)
        #expect(try await ids(client, .cachedIfFresh(.hours(1))) == ["a"])
        time.step(.hours(2))
        #expect(try await ids(client, .cachedIfFresh(.hours(1))) == ["a"])
        #expect(try await ids(client, .cachedIfFresh(.hours(1))) == ["a"])
        #expect(transport.requests.count == 2)
    }

    @Test func cachedOnlyNeverAsks() async throws {
        let transport = ScriptedTransport(time, [list("a")])
        let client = try client(transport)
        let error = await #expect(throws: FeedError.self) { try await ids(client, .cachedOnly) }
        #expect(error?.kind == .empty)
        #expect(transport.requests.isEmpty)
        _ = try await ids(client, .cachedIfFresh(.hours(1)))
        time.step(.hours(1000))
        #expect(try await ids(client, .cachedOnly) == ["a"])
        #expect(transport.requests.count == 1)
    }

    @Test func aWaitHoldsForEveryRequest() async throws {
        let transport = ScriptedTransport(time, [.json("", 429, [("Retry-After", "100")])])
        let client = try client(transport)
        for _ in 0..<2 {
            let error = await #expect(throws: FeedError.self) {
                try await client.send(CoinGecko.CoinList(), within: .seconds(10), respecting: .namedOnly)
            }
            #expect(error?.kind == .rateLimited)
            #expect(error?.notBefore?.at == time.now() + .seconds(100))
        }
        #expect(transport.requests.count == 1)
    }
}
