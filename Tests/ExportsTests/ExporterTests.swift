import Engine
import Foundation
import HTTP
import Markets
import TestSupport
import Testing

@testable import Exports

@Suite struct ExporterTests {
    private let address = ExportAddress(url: Secret("http://vm.example:8428/write"))

    private func exporter(_ engine: LineEngine, _ address: ExportAddress? = nil) -> Exporter {
        Exporter(
            name: "cluster", address: address ?? self.address, transport: engine,
            now: { Date(timeIntervalSince1970: 1_795_302_792) })
    }

    /// Refuses a request that holds a line of one of these markets.
    private func refusing(_ markets: Set<String>, _ status: Int = 400) -> LineEngine {
        LineEngine { lines, _ in
            lines.contains { line in markets.contains { line.contains("market=\($0) ") } }
                ? LineEngine.answer(status, "cannot parse this") : nil
        }
    }

    private var markets: [String] { (0..<1000).map { "m\($0)" } }

    @Test("a request is packed, and says who sends it and in which unit")
    func request() async throws {
        let engine = LineEngine()
        var address = address
        address.url = Secret("https://vm.example/insert/0/influx/write?db=prices")
        address.credentials = .token(Secret("t0k3n"))
        address.headers = [.init(name: "X-Scope-OrgID", value: Secret("7"))]
        #expect(await exporter(engine, address).send(try batch(["a", "b"])) == .sent(refused: []))
        let request = try #require(engine.requests.first)
        #expect(request.url == "https://vm.example/insert/0/influx/write?db=prices&precision=ms")
        #expect(request.method == "POST" && request.headers["Content-Encoding"] == "gzip")
        #expect(request.headers["Authorization"] == "Bearer t0k3n" && request.headers["X-Scope-OrgID"] == "7")
        let line = "pricewatch,currency=usd,market="
        #expect(engine.bodies == ["\(line)a price=1 1795302792000\n\(line)b price=1 1795302792000\n"])
        #expect(engine.requests.count == 1)
    }

    @Test("user and password are sent as HTTP wants them")
    func basic() async throws {
        let engine = LineEngine()
        var address = address
        address.credentials = .user("anna", password: Secret("pässword"))
        _ = await exporter(engine, address).send(try batch(["a"]))
        #expect(engine.requests.first?.headers["Authorization"] == "Basic YW5uYTpww6Rzc3dvcmQ=")
    }

    @Test("nothing is sent of an empty batch")
    func empty() async throws {
        let engine = LineEngine()
        #expect(await exporter(engine).send(ExportBatch(upTo: 3)) == .sent(refused: []))
        #expect(engine.requests.isEmpty)
    }

    enum Kind { case sent, failed, blocked }

    @Test(
        "what an answer means",
        arguments: [
            (200, Kind.sent), (204, .sent), (202, .sent), (408, .failed), (429, .failed), (500, .failed),
            (503, .failed),
            (401, .blocked), (403, .blocked), (404, .blocked), (301, .blocked), (307, .blocked), (405, .blocked),
            (418, .blocked),
            // All lines of the batch refused: the address is wrong, or the field has another type.
            (400, .blocked), (413, .blocked), (422, .blocked),
        ])
    func answers(status: Int, kind: Kind) async throws {
        let engine = LineEngine { _, _ in LineEngine.answer(status, "words") }
        let outcome = await exporter(engine).send(try batch(["a"]))
        switch (outcome, kind) {
        case (.sent, .sent): break
        case (.failed(let cause, nil), .failed), (.blocked(let cause), .blocked):
            #expect(cause.hasPrefix("export to cluster: \(status) ") && cause.contains("words"), "\(cause)")
        default: Issue.record("\(status): \(outcome)")
        }
    }

    @Test("the wait that an engine names is reported")
    func retryAfter() async throws {
        let engine = LineEngine { _, _ in LineEngine.answer(429, "slow down", ["Retry-After": "17"]) }
        let outcome = await exporter(engine).send(try batch(["a"]))
        #expect(
            outcome == .failed(cause: "export to cluster: 429 Too Many Requests: slow down", retryAfter: .seconds(17)))
    }

    @Test("a page for people is no answer of an engine")
    func page() async throws {
        let engine = LineEngine { _, _ in LineEngine.answer(200, "<html>", ["Content-Type": "text/html; charset=utf-8"])
        }
        let outcome = await exporter(engine).send(try batch(["a"]))
        #expect(
            outcome == .blocked(cause: "export to cluster: a web page came in place of an answer (check the URL)"))
    }

    @Test("a bad line is found, and all others arrive, once each", arguments: [400, 413, 422])
    func halving(status: Int) async throws {
        let bad: Set = ["m0", "m500", "m501", "m999"]
        let engine = refusing(bad, status)
        guard case .sent(let refused) = await exporter(engine).send(try batch(markets)) else {
            Issue.record("not sent")
            return
        }
        #expect(
            Set(refused.map { $0.line.split(separator: " ")[0].split(separator: "=").last.map(String.init) ?? "" })
                == bad)
        #expect(refused.allSatisfy { $0.cause.hasSuffix(": cannot parse this") })
        #expect(engine.held.count == 996 && engine.held.values.allSatisfy { $0.count == 1 })
        #expect(engine.requests.count < 100)
    }

    @Test("an engine that takes nothing is asked a hundred times at most, and nothing is set aside")
    func takesNothing() async throws {
        let engine = LineEngine { _, _ in LineEngine.answer(400, "unsupported path") }
        let outcome = await exporter(engine).send(try batch(markets))
        #expect(outcome == .blocked(cause: "export to cluster: 400 Bad Request: unsupported path"))
        #expect((100...130).contains(engine.requests.count), "\(engine.requests.count)")
    }

    @Test("lines beyond the engine's retention are set aside without being sent again")
    func tooOld() async throws {
        let engine = LineEngine { lines, _ in
            LineEngine.answer(
                400, #"{"error":"partial write: points beyond retention policy dropped=\#(lines.count)"}"#)
        }
        guard case .sent(let refused) = await exporter(engine).send(try batch(markets)) else {
            Issue.record("not sent")
            return
        }
        #expect(refused.count == 1000 && engine.requests.count == 1)
        #expect(
            refused[0].cause
                == "export to cluster: 400 Bad Request: partial write: points beyond retention policy dropped=1000")
    }

    @Test("a failure between the halves ends the batch")
    func failsBetween() async throws {
        let engine = LineEngine { lines, request in
            if request == 3 { return LineEngine.answer(503, "busy") }
            return lines.contains { $0.contains("market=m999 ") } ? LineEngine.answer(400, "bad") : nil
        }
        let outcome = await exporter(engine).send(try batch(markets))
        #expect(outcome == .failed(cause: "export to cluster: 503 Service Unavailable: busy", retryAfter: nil))
        #expect(engine.requests.count == 3)
    }

    @Test(
        "an engine that cannot be reached, or hangs, is asked again later; a stop is no failure",
        arguments: [
            (TransportFault.connect("connection refused"), "no connection: connection refused"),
            (.timeout(.seconds(30)), "no answer within 30s"), (.transport("closed"), "closed"),
        ])
    func network(fault: TransportFault, cause: String) async throws {
        let failing = Exporter(name: "a", address: address, transport: Failing(fault: fault), now: { Date() })
        #expect(await failing.send(try batch(["a"])) == .failed(cause: "export to a: \(cause)", retryAfter: nil))
        let stopped = Exporter(name: "a", address: address, transport: Failing(fault: .cancelled), now: { Date() })
        #expect(await stopped.send(try batch(["a"])) == .interrupted)
    }

    private struct Failing: HTTPTransport {
        let fault: TransportFault

        func exchange(_ request: WireRequest, within timeout: Duration) async throws(TransportFault) -> HTTPAnswer {
            #expect(timeout == .seconds(30))
            throw fault
        }
    }

    @Test("no text holds a secret, even if the engine repeats it; the database's name stays")
    func secrets() async throws {
        let engine = LineEngine { _, _ in
            LineEngine.answer(
                401, "no pässword of anna (YW5uYTpww6Rzc3dvcmQ=), key s3cr3t-key, header s3cr3t-header, in prices\u{1b}"
            )
        }
        var address = address
        address.url = Secret("https://vm.example/write?db=prices&key=s3cr3t-key")
        address.credentials = .user("anna", password: Secret("pässword"))
        address.headers = [.init(name: "X-Key", value: Secret("s3cr3t-header"))]
        let outcome = await exporter(engine, address).send(try batch(["a"]))
        #expect(
            outcome
                == .blocked(
                    cause:
                        "export to cluster: 401 Unauthorized: no *** of anna (***), key ***, header ***, in prices\\u001b "
                        + "(check token, or user and password)"))
        #expect(!"\(address)".contains("s3cr3t") && !address.shown.contains("s3cr3t"))
    }

    @Test("an engine's words are bounded")
    func longWords() async throws {
        let engine = LineEngine { _, _ in LineEngine.answer(404, String(repeating: "x\u{301}", count: 30_000)) }
        guard case .blocked(let cause) = await exporter(engine).send(try batch(["a"])) else {
            Issue.record("not blocked")
            return
        }
        #expect(cause.unicodeScalars.count < 320)
    }
}

@Suite struct ExportAddressTests {
    @Test(
        "where an engine is read back",
        arguments: [
            ("http://vm:8428/write", "http://vm:8428"), ("http://vm:8428/write?db=a", "http://vm:8428"),
            ("http://vm:8428/prefix/write", "http://vm:8428/prefix"), ("http://vm:8428/api/v2/write", "http://vm:8428"),
            ("http://vm:8428/influx/write", "http://vm:8428"), ("http://vm:8428/influx/api/v2/write", "http://vm:8428"),
            ("https://vm/insert/0/influx/write", "https://vm/select/0/prometheus"),
            ("https://vm/insert/3:4/influx/api/v2/write", "https://vm/select/3:4/prometheus"),
            ("https://vm/a/insert/0/influx/write/", "https://vm/a/select/0/prometheus"),
            ("https://vm/api/v1/push/influx", nil), ("https://vm/api/v3/write_lp", nil),
        ])
    func reading(url: String, base: String?) {
        #expect(ExportAddress(url: Secret(url)).readBase == base)
        let asked = ExportAddress(url: Secret(url), query: Secret("http://select:8481/select/0/prometheus/"))
        #expect(asked.readBase == "http://select:8481/select/0/prometheus")
    }

    @Test(
        "times are milliseconds",
        arguments: [
            ("http://vm/write", "http://vm/write?precision=ms"),
            ("http://vm/write?db=a", "http://vm/write?db=a&precision=ms"),
            ("http://vm/write?precision=ms&db=a", "http://vm/write?precision=ms&db=a"),
            ("http://i/api/v3/write_lp?precision=millisecond", "http://i/api/v3/write_lp?precision=millisecond"),
        ])
    func precision(url: String, written: String) { #expect(ExportAddress(url: Secret(url)).writeURL == written) }

    @Test("the fingerprint changes with where lines are sent, not with who sends them or where they are read")
    func fingerprint() {
        let first = ExportAddress(url: Secret("http://vm/write"))
        #expect(ExportAddress(url: Secret("http://vm/write?db=a")).fingerprint != first.fingerprint)
        var same = first
        same.credentials = .token(Secret("a"))
        same.query = Secret("http://a")
        #expect(same.fingerprint == first.fingerprint)
    }
}

@Suite struct GzipTests {
    @Test(arguments: [0, 1, 1000, 3_000_000])
    func `what is packed unpacks`(count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }
        let packed = try #require(Gzip.pack(bytes))
        #expect(LineEngine.unpacked(packed) == Data(bytes))
    }

    @Test func `lines of one poll take a sixth of their size`() throws {
        let lines = LineProtocol(
            ExportBatch(samples: try (0..<5000).map { try sample("market-\($0)", "\($0 * 7919).25") }, upTo: 1))
        let packed = try #require(Gzip.pack(lines[0..<5000]))
        #expect(packed.count * 4 < lines.bytes.count)
    }
}
