import Engine
import Foundation
import HTTP
import Markets
import Synchronization
import TestSupport
import Testing

@testable import Exports

@Suite struct ComparisonTests {
    private func recorded(_ samples: [(Int64, String)], isSent: Bool = true) throws -> RecordedSeries {
        RecordedSeries(
            market: try MarketID("bitcoin"), currency: .usd,
            samples: try samples.map { time, price in
                .init(
                    quotedAt: Date(milliseconds: time), price: try #require(Price(parsing: price)), isSent: isSent)
            })
    }

    private func held(_ samples: [(Int64, Double?)]) -> ReadSeries {
        ReadSeries(metric: [:], values: samples.map(\.1), timestamps: samples.map(\.0))
    }

    @Test(
        "what is held once with its price is equal, within twelve digits",
        arguments: [
            ("61926.35", 61926.35, true), ("61926.35", 61926.350000000006, true), ("61926.35", 61926.3500002, false),
            ("123456789012345678", 1.23456789012346e17, true), ("0.000000001206", 1.206e-9, true),
            ("0.000000001206", 1.207e-9, false), ("1", 0, false),
        ])
    func values(price: String, value: Double, isEqual: Bool) throws {
        let found = Comparison(of: try recorded([(5, price)]), with: [held([(5, value)])], in: 0..<10)
        #expect(found.isEqual == isEqual && found.recorded == 1 && found.different == (isEqual ? 0 : 1))
    }

    @Test func `missing, different, doubled and foreign samples are counted, with their span`() throws {
        let series = try recorded([(1000, "1"), (2000, "2"), (3000, "3"), (4000, "4"), (5000, "5")])
        let found = Comparison(
            of: series, with: [held([(1000, 1), (2000, nil), (3000, 7), (4000, 4), (4000, 4), (6000, 6), (9000, 9)])],
            in: 0..<9000)
        #expect(found.missing.map(\.quotedAt.milliseconds) == [2000, 5000])
        #expect(found.different == 1 && found.doubled == 1 && found.foreign == 1 && found.recorded == 5)
        #expect(found.span == Date(milliseconds: 2000)...Date(milliseconds: 5000) && !found.isEqual)
    }

    @Test func `two prices of one millisecond are one sample, and either is right`() throws {
        let series = try recorded([(1000, "1"), (1000, "2")])
        #expect(Comparison(of: series, with: [held([(1000, 2)])], in: 0..<2000).isEqual)
        #expect(Comparison(of: series, with: [held([(1000, 3)])], in: 0..<2000).different == 1)
        #expect(Comparison(of: series, with: [], in: 0..<2000).missing.count == 1)
    }

    @Test func `a sample that was not sent may be missing, and is not foreign`() throws {
        let series = try recorded([(1000, "1"), (2000, "2")], isSent: false)
        let found = Comparison(of: series, with: [held([(1000, 1)])], in: 0..<3000)
        #expect(found.isEqual && found.recorded == 0 && found.foreign == 0)
    }

    @Test func `the same sample under further labels is not doubled`() throws {
        let series = try recorded([(1000, "1")])
        #expect(Comparison(of: series, with: [held([(1000, 1)]), held([(1000, 1)])], in: 0..<2000).isEqual)
    }
}

@Suite struct VerifierTests {
    /// Time that passes when it is slept.
    private final class SteppedTime: TimeSource {
        let slept = Mutex(0)
        func now() -> Date { Date(timeIntervalSince1970: 0) }
        func uptime() -> Duration { .zero }
        func sleep(for duration: Duration) async throws { slept.withLock { $0 += 1 } }
    }

    private let range = Date(milliseconds: 0)..<Date(milliseconds: 10_000_000)

    private func exporter(_ engine: any HTTPTransport, _ url: String = "http://vm:8428/write") -> Exporter {
        Exporter(name: "vm", address: ExportAddress(url: Secret(url)), transport: engine, now: { Date() })
    }

    private func series(_ market: String, _ count: Int) throws -> RecordedSeries {
        RecordedSeries(
            market: try MarketID(market), currency: .usd,
            samples: try (0..<count).map { number in
                .init(
                    quotedAt: Date(milliseconds: Int64(number) * 60),
                    price: try #require(Price(significand: Int64(number) + 1, exponent: -2)))
            })
    }

    private func send(_ series: [RecordedSeries], to engine: LineEngine) async {
        let samples = series.flatMap { series in
            series.samples.map {
                ExportedSample(
                    market: series.market, currency: series.currency, price: $0.price, quotedAt: $0.quotedAt)
            }
        }
        _ = await exporter(engine).send(ExportBatch(samples: samples, upTo: 1))
    }

    @Test func `what was sent is found`() async throws {
        let engine = LineEngine()
        let all = try (0..<700).map { try series("m\($0)", 3) }
        await send(all, to: engine)
        var verifier = try Verifier(exporter(engine), time: SteppedTime())
        let found = try await verifier.compare(all, in: range, repairs: false)
        #expect(found.map(\.market) == all.map(\.market))
        #expect(found.allSatisfy { $0.isEqual && $0.recorded == 3 && $0.foreign == 0 })
        // A request asks for 500 series at most.
        #expect(engine.requests.count == 3)
        #expect(engine.requests.last?.url == "http://vm:8428/api/v1/export")
    }

    @Test func `one series with many samples is asked for in parts of its time`() async throws {
        let engine = LineEngine()
        let long = try series("bitcoin", 60_000)
        await send([long], to: engine)
        engine.change { $0["pricewatch,currency=usd,market=bitcoin price"]?.remove(at: 77) }
        var verifier = try Verifier(exporter(engine), time: SteppedTime())
        let found = try await verifier.compare([long], in: range, repairs: false)
        #expect(found.count == 1 && found[0].recorded == 60_000 && found[0].doubled == 0 && found[0].different == 0)
        #expect(found[0].missing.map(\.quotedAt.milliseconds) == [77 * 60])
        #expect(engine.requests.count == 3)
    }

    @Test func `an answer that is too large is asked for in halves`() async throws {
        let engine = LineEngine()
        let all = try (0..<8).map { try series("m\($0)", 10) }
        await send(all, to: engine)
        let small = SmallAnswers(engine: engine, limit: 400)
        var verifier = try Verifier(exporter(small), time: SteppedTime())
        let found = try await verifier.compare(all, in: range, repairs: false)
        #expect(found.count == 8 && found.allSatisfy { $0.isEqual && $0.recorded == 10 })
        // One write; then all, two halves and four quarters are asked for.
        #expect(engine.requests.count == 8)
        var hopeless = try Verifier(exporter(SmallAnswers(engine: engine, limit: 10)), time: SteppedTime())
        await #expect(throws: ReadFault.failed("read from vm: more than 8388608 bytes for one sample")) {
            try await hopeless.compare(all, in: range, repairs: false)
        }
    }

    private struct SmallAnswers: HTTPTransport {
        let engine: LineEngine
        let limit: Int

        func exchange(_ request: WireRequest, within timeout: Duration) async throws(TransportFault) -> HTTPAnswer {
            let answer = try await engine.exchange(request, within: timeout)
            if answer.body.count > limit { throw .tooLarge(limit: limit) }
            return answer
        }
    }

    @Test("what is missing is sent again, once, and found after a flush", arguments: [true, false])
    func repair(hides: Bool) async throws {
        let engine = LineEngine(hides: hides)
        let all = [try series("bitcoin", 5), try series("ethereum", 5)]
        await send(all, to: engine)
        let time = SteppedTime()
        var verifier = try Verifier(exporter(engine), time: time)
        await verifier.flush()
        let name = "pricewatch,currency=usd,market=ethereum price"
        engine.change { $0[name]?.removeFirst(2) }
        let found = try await verifier.compare(all, in: range, repairs: true)
        #expect(found.allSatisfy(\.isEqual) && found.map(\.repaired) == [0, 2])
        #expect(engine.held[name]?.count == 5 && engine.bodies.last?.split(separator: "\n").count == 2)
        #expect(time.slept.withLock { $0 } == 0)
        let again = try await verifier.compare(all, in: range, repairs: true)
        #expect(again.allSatisfy { $0.isEqual && $0.repaired == 0 } && engine.bodies.count == 2)
    }

    @Test func `an engine that does not keep what is sent is waited for once, and what lacks is said`() async throws {
        let engine = LineEngine { _, _ in LineEngine.answer(204) }
        let time = SteppedTime()
        var verifier = try Verifier(exporter(engine), time: time)
        for _ in 0..<3 {
            let found = try await verifier.compare([try series("bitcoin", 2)], in: range, repairs: true)
            #expect(found.map(\.missing.count) == [2] && found[0].repaired == 0)
        }
        #expect(time.slept.withLock { $0 } == 14)
    }

    @Test(
        "an engine that answers otherwise gives no result",
        arguments: [
            (
                200, "<html>",
                "read from vm: the answer is not that of VictoriaMetrics' /api/v1/export (it begins with \"<html>\")"
            ),
            (
                200, #"{"results":[]}"#,
                #"read from vm: the answer is not that of VictoriaMetrics' /api/v1/export (it begins with "{"results":[]}")"#
            ),
            (401, "no", "read from vm: 401 Unauthorized: no (check token, or user and password)"),
            (
                404, "no",
                "read from vm: 404 Not Found: no (only VictoriaMetrics can be read back; where that is another server, "
                    + "add query: the URL in front of /api/v1/export)"
            ),
        ])
    func otherAnswers(status: Int, text: String, cause: String) async throws {
        let answers = Answers(answer: LineEngine.answer(status, text))
        var verifier = try Verifier(exporter(answers), time: SteppedTime())
        await #expect(throws: ReadFault.failed(cause)) {
            try await verifier.compare([try series("bitcoin", 2)], in: range, repairs: false)
        }
    }

    private struct Answers: HTTPTransport {
        let answer: HTTPAnswer
        func exchange(_ request: WireRequest, within timeout: Duration) async throws(TransportFault) -> HTTPAnswer {
            answer
        }
    }

    @Test func `an engine that cannot be read says what to configure`() {
        #expect(
            throws: ReadFault.failed(
                "read from vm: the URL does not show where a VictoriaMetrics is read (add query: the URL in front of "
                    + "/api/v1/export; other engines cannot be verified)")
        ) { try Verifier(exporter(LineEngine(), "https://grafana/api/v1/push/influx"), time: SteppedTime()) }
    }
}

@Suite struct InspectionTests {
    private struct Pages: HTTPTransport {
        var write = LineEngine.answer(204)
        var flags = LineEngine.answer(404)

        func exchange(_ request: WireRequest, within timeout: Duration) async throws(TransportFault) -> HTTPAnswer {
            request.url == "http://vm:8428/flags" ? flags : write
        }
    }

    private func inspect(_ pages: Pages) async -> EngineFindings {
        let address = ExportAddress(url: Secret("http://vm:8428/prefix/write"))
        return await Exporter(name: "vm", address: address, transport: pages, now: { Date() }).inspect()
    }

    @Test(
        "a VictoriaMetrics that keeps doubled samples is warned of",
        arguments: [
            ("-storageDataPath=\"/v\"", true), ("", true), ("-dedup.minScrapeInterval=\"0s\"", true),
            ("-dedup.minScrapeInterval=\"0\"", true),
            ("-a=\"1\"\n-dedup.minScrapeInterval=\"1ms\"\n-b=\"2\"", false),
            ("-dedup.minScrapeInterval=\"1m0s\"", false),
        ])
    func flags(text: String, warns: Bool) async {
        let found = await inspect(Pages(flags: LineEngine.answer(200, text)))
        #expect(found.refusal == nil && found.warnings.isEmpty != warns && found.findings.count == (warns ? 1 : 2))
    }

    @Test func `what does not keep samples itself is not warned of`() async {
        #expect(await inspect(Pages(flags: LineEngine.answer(200, "-remoteWrite.url=\"secret\""))).warnings.isEmpty)
        #expect(await inspect(Pages(flags: LineEngine.answer(200, "<html>flags</html>"))).warnings.isEmpty)
    }

    @Test func `another engine has no such flags`() async {
        let found = await inspect(Pages())
        #expect(found == EngineFindings(findings: ["vm: host and credentials are accepted"]))
        // It may be that nothing was in it, or that the path is wrong.
        let refused = await inspect(Pages(write: LineEngine.answer(400, "unsupported path")))
        #expect(refused.refusal == nil && refused.findings.isEmpty)
        #expect(refused.warnings.first?.hasPrefix("export to vm: 400 Bad Request: unsupported path; ") == true)
    }

    @Test("an engine that takes nothing is a refusal", arguments: [401, 403, 404, 503])
    func refusals(status: Int) async {
        let found = await inspect(Pages(write: LineEngine.answer(status)))
        #expect(found.refusal?.hasPrefix("export to vm: \(status) ") == true && found.findings.isEmpty)
    }
}
