import Engine
import Foundation
import History
import Markets

/// Records polls through the product's own writer and prints what that cost, as JSON:
/// `recording DATABASE MARKETS POLLS [START]`, where START is the first poll's time in seconds since 1970.
@main
enum Recording {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 4, let markets = Int(arguments[2]), let polls = Int(arguments[3]) else {
            print("usage: recording DATABASE MARKETS POLLS [START]")
            exit(64)
        }
        let start = arguments.count > 4 ? Int64(arguments[4]) ?? 0 : 1_795_255_200
        let ids = try (0..<markets).map { try MarketID($0 == 0 ? "bitcoin" : "market-\($0)") }
        let writer = try HistoryWriter(at: arguments[1])
        // The first polls make series and pages; the daemon has them behind it after a minute.
        let warmUp = min(20, polls)
        var walk = Walk(ids)
        for number in 0..<warmUp { record(walk.poll(at: start + Int64(number) * 60), in: writer) }
        let before = Cost.now()
        var longest = 0.0
        var building = 0.0
        for number in warmUp..<(warmUp + polls) {
            let began = Cost.processor()
            let poll = walk.poll(at: start + Int64(number) * 60)
            building += Cost.processor() - began
            let clock = ContinuousClock.now
            record(poll, in: writer)
            longest = max(longest, Double((ContinuousClock.now - clock).inMilliseconds))
        }
        let cost = Cost.now() - before
        let samples = Double(polls * markets)
        try writer.close()
        let bytes = Double(writer.reader.bytesOnDisk())
        print(
            """
            {"cpu_us_per_sample": \((cost.processor - building) * 1e6 / samples), \
            "wall_us_per_sample": \((cost.wall - building) * 1e6 / samples), \
            "written_per_poll": \(cost.written / Double(polls)), "longest_ms": \(longest), \
            "bytes": \(bytes), "samples": \(Double((polls + warmUp) * markets))}
            """)
    }

    private static func record(_ poll: PollRecord, in writer: HistoryWriter) {
        var commit = Commit()
        commit.polls = [poll]
        if let fault = writer.commit(commit).fault {
            print(fault)
            exit(74)
        }
    }
}

/// Prices that wander, as those of a real market do in length and pace.
private struct Walk {
    private var samples: [Sample]
    private var random = SystemRandomNumberGenerator()

    init(_ ids: [MarketID]) {
        samples = ids.enumerated().compactMap { place, id in
            let digits = Int64(1000 + place * 7919 % 9_000_000)
            guard let price = Price(significand: digits * 1001 + 7, exponent: -(2 + place % 8)) else { return nil }
            var sample = Sample(
                market: id, symbol: "m\(place)", name: "Market \(place)", price: price, quotedAt: Date())
            sample.volume24h = 1e9 / Double(place + 1)
            sample.marketCap = 1e12 / Double(place + 1)
            return sample
        }
    }

    mutating func poll(at second: Int64) -> PollRecord {
        let at = Date(timeIntervalSince1970: Double(second))
        let fetchedAt = at + .milliseconds(200)
        for place in samples.indices {
            let old = samples[place].price
            let step = Int64.random(in: -50...50, using: &random) * 2 + 1
            samples[place].price = Price(significand: max(1, old.significand + step), exponent: old.exponent) ?? old
            samples[place].quotedAt = fetchedAt - .milliseconds(Int64.random(in: 500...59_000, using: &random))
        }
        var record = PollRecord(at: at, fetchedAt: fetchedAt, feed: "coingecko", currency: .usd, outcome: .ok)
        record.samples = samples
        record.watched = WatchedMarkets(samples.map(\.market), currencies: .init(.usd))
        return record
    }
}

private struct Cost {
    var processor: Double
    var wall: Double
    var written: Double

    static func now() -> Cost {
        Cost(processor: processor(), wall: ProcessInfo.processInfo.systemUptime, written: written())
    }

    static func - (later: Cost, earlier: Cost) -> Cost {
        Cost(
            processor: later.processor - earlier.processor, wall: later.wall - earlier.wall,
            written: later.written - earlier.written)
    }

    static func processor() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// `write_bytes` of the kernel's account: what was sent to the disk.
    private static func written() -> Double {
        let text = (try? String(contentsOfFile: "/proc/self/io", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("write_bytes:") }
        return line.flatMap { Double($0.dropFirst(13)) } ?? 0
    }
}
