import Feeds
import Foundation
import HTTP
import MarketSimulator
import Markets
import Synchronization

/// Polls pages that are there already, so that what is left is reading them, and prints the processor time as JSON:
/// `decoding FILE`, where FILE is written with the body of the first page, for others to read.
@main
enum Decoding {
    private static let pages = 68

    static func main() async throws {
        guard CommandLine.arguments.count == 2 else {
            print("usage: decoding FILE")
            exit(64)
        }
        let recorded = try await RecordedPages.record(pages)
        try recorded.bodies[0].write(to: URL(fileURLWithPath: CommandLine.arguments[1]))
        _ = try await cost(of: 1, polls: 20, recorded)
        // As many pages one by one as together, in turns, and each turn's own ratio: both see the same moments of the
        // machine, also where its processors are shared.
        var one: [Double] = []
        var ratios: [Double] = []
        for _ in 0..<41 {
            let single = try await cost(of: 1, polls: pages, recorded)
            one.append(single)
            ratios.append(try await cost(of: pages, polls: 1, recorded) / single)
        }
        let bytes = recorded.bodies.map(\.count)
        print(
            """
            {"page_us": \(one.median), "pages_to_page": \(ratios.median), "pages": \(pages), \
            "page_bytes": \(bytes[0]), "pages_bytes": \(bytes.reduce(0, +))}
            """)
    }

    /// Microseconds of processor time for a poll of so many pages.
    private static func cost(of pages: Int, polls: Int, _ transport: RecordedPages) async throws -> Double {
        let feed = Feed(
            FeedClient(
                CoinGecko(plan: .public),
                FeedEnvironment(feed: "bench", baseURL: try BaseURL("http://127.0.0.1/api/v3"), userAgent: "bench"),
                transport: transport, memory: TransientMemory()))
        let watch = Watch([MarketID](), top: pages * 250, currency: .usd)
        let before = processor()
        for _ in 0..<polls {
            let report = try await feed.poll(watch, within: .seconds(600))
            guard case .answered(let answer) = report.outcome, answer.quotes.count > pages * 240 else {
                print("the pages brought no quotes: \(report.outcome)")
                exit(1)
            }
        }
        return (processor() - before) * 1e6 / Double(polls)
    }

    private static func processor() -> Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
            + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
    }
}

extension [Double] {
    fileprivate var median: Double { sorted()[count / 2] }
}

/// The simulated market's pages, answered from memory, one after the other whatever page is asked: a poll of one page
/// must not find its body in the processor's cache, where no provider's answer lies.
private final class RecordedPages: HTTPTransport {
    let bodies: [Data]
    private let answered = Atomic(0)

    private init(bodies: [Data]) { self.bodies = bodies }

    static func record(_ pages: Int) async throws -> RecordedPages {
        let simulator = try await CoinGeckoSimulator.start(markets: pages * 250)
        let network = try NetworkTransport()
        var bodies: [Data] = []
        for page in 1...pages {
            let url = "\(simulator.baseURL)/coins/markets?vs_currency=usd&per_page=250&precision=full&page=\(page)"
            let request = WireRequest(url: url, headers: [:], bodyLimit: 8 << 20)
            bodies.append(try await network.exchange(request, within: .seconds(60)).body)
        }
        await network.shutdown()
        await simulator.stop()
        return RecordedPages(bodies: bodies)
    }

    func exchange(_ request: WireRequest, within timeout: Duration) async throws(TransportFault) -> HTTPAnswer {
        let page = answered.wrappingAdd(1, ordering: .relaxed).oldValue % bodies.count
        return HTTPAnswer(
            status: 200, headers: HTTPFields([(name: "Content-Type", value: "application/json; charset=utf-8")]),
            body: bodies[page])
    }
}
