import Engine
import Foundation
import Glibc
import Markets

/// What a poll costs the rules: CPU time of taking an answer's prices in and judging every rule on every market.
///
/// All worlds are played in turns, poll by poll, so that none finds the caches warm from its own last poll: in life
/// a minute lies between two.
@main
struct Judging {
    static func main() throws {
        let measured = 40
        var failed = false

        var hour = try World(markets: 250, rules: try Self.rules(1000) { _ in .hours(1) })
        hour.warm(hours: 24)
        var day = try World(markets: 250, rules: try Self.rules(1000) { _ in .hours(24) })
        day.warm(hours: 24)
        for _ in 0..<measured {
            hour.poll()
            day.poll()
        }
        print("1000 rules x 250 markets, windows of 1 h:  \(hour.report)")
        print("1000 rules x 250 markets, windows of 24 h: \(day.report)")
        let ratio = day.median / hour.median
        print(String(format: "24 h : 1 h = %.2f (at most 1.2)", ratio))
        failed = hour.median > 20 || day.median > 20 || ratio > 1.2

        let windows: [Duration] = [.minutes(5), .minutes(15), .hours(1), .hours(4), .hours(12), .hours(24)]
        let twenty = try Self.rules(20) { windows[$0 % windows.count] }
        var few = try World(markets: 250, rules: twenty)
        few.warm(hours: 24)
        let before = Self.residentMiB()
        var many = try World(markets: 17_000, rules: twenty)
        many.warm(hours: 24)
        for _ in 0..<measured {
            few.poll()
            many.poll()
        }
        print("20 rules x 250 markets:    \(few.report)")
        print("20 rules x 17000 markets: \(many.report)")
        let growth = many.median / few.median
        print(String(format: "17000 : 250 = %.1f (at most 80)", growth))
        let peak = Self.residentMiB()
        print("resident: \(before) MiB without, \(peak) MiB with 17000 markets (at most 400)")
        failed = failed || growth > 80 || peak > 400
        if failed { exit(1) }
    }

    /// Rules on all markets: levels, corridors and every relative condition.
    static func rules(_ count: Int, window: (Int) -> Duration) throws -> [AlertRule] {
        let longest = (0..<count).map(window).max() ?? .hours(1)
        return try (0..<count).map { index in
            guard let low = Price(parsing: "\(1 + index % 7)"), let high = Price(parsing: "\(200_000 + index)") else {
                throw Unusable()
            }
            let percent = Percent(hundredths: Int64(300 + index))
            let length = window(index)
            // Nobody asks all markets for the highs of five minutes; those never cease.
            let condition: AlertRule.Condition =
                switch index % 8 {
                case 0: .above(high)
                case 1: .below(low)
                case 2: .outside(low: low, high: high)
                case 3: .rises(percent, within: length)
                case 4: .falls(percent, within: length)
                case 5: .moves(percent, within: length)
                case 6: .newHigh(longest)
                default: .newLow(longest)
                }
            return AlertRule(name: "rule-\(index)", scope: .all, condition: condition)
        }
    }

    struct Unusable: Error {}

    static func residentMiB() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS") } ?? ""
        return (Int(line.split(separator: " ").dropFirst().first ?? "") ?? 0) / 1024
    }
}

/// Markets that walk at random, polled every minute, and the rules on them.
struct World {
    private var board: MarketBoard
    private var book: AlertBook
    private var prices: [Double]
    private let ids: [MarketID]
    private let currency: Currency
    private var now = Date(timeIntervalSince1970: 1_795_255_200)
    private var random: UInt64 = 0x9E37_79B9_7F4A_7C15
    private var times: [Double] = []
    private var events = 0

    init(markets: Int, rules: [AlertRule]) throws {
        ids = try (0..<markets).map { try MarketID("market-\($0)") }
        currency = try Currency("usd")
        prices = (0..<markets).map { Double(10 + $0 % 1000) }
        board = MarketBoard(
            watching: Watchlist(
                named: ids.map { .init(market: $0, staleness: .init(after: .minutes(15))) }, top: 0,
                staleness: .init(after: .minutes(15)), currencies: .init(currency)))
        let shared = SourceSettings(id: .shared, members: [], every: .minutes(1), limit: .minutes(1))
        book = AlertBook(
            Settings(
                host: "here",
                watchlist: Watchlist(
                    named: [], top: 0, staleness: .init(after: .minutes(15)), currencies: .init(currency)),
                sources: [shared],
                feeds: [], rules: rules, routing: Routing(), deadline: .minutes(1)), installation: "here")
    }

    /// Plays a past before the measuring, through the same door as the daemon's start does.
    mutating func warm(hours: Int) {
        for _ in 0..<(hours * 60) {
            let samples = step()
            book.recall(
                poll: now, samples: samples.enumerated().map { ($0, now, $1) }, unknown: [], of: ids)
        }
        for _ in 0..<3 { poll() }
        times = []
        events = 0
    }

    mutating func poll() {
        let samples = step()
        let quotes = zip(ids, samples).map { id, price in
            Quote(market: id, symbol: "m", name: "Market", currency: currency, price: price, quotedAt: now)
        }
        var answer = Answer(fetchedAt: now)
        answer.quotes = quotes
        _ = board.apply(answer, from: "bench", every: .minutes(1))
        let start = Self.cpu()
        let changes = book.evaluate(board, at: .init(now: now, interval: .minutes(1)))
        times.append(Self.cpu() - start)
        events += changes.events.count
    }

    /// Up to 0.15 % either way a minute.
    private mutating func step() -> [Price] {
        now = now + .minutes(1)
        return prices.indices.map { index in
            random ^= random << 13
            random ^= random >> 7
            random ^= random << 17
            prices[index] *= 1 + (Double(random % 3001) - 1500) / 1_000_000
            return Price(significand: max(1, Int64(prices[index] * 1_000_000)), exponent: -6)
        }.compactMap { $0 }
    }

    var median: Double { times.sorted()[times.count / 2] }

    var report: String {
        String(format: "%.2f ms of CPU a poll (median), %.2f at most, %d events", median, times.max() ?? 0, events)
    }

    /// This thread's CPU time in milliseconds.
    private static func cpu() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1e6
    }
}
