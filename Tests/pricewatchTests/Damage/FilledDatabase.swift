import Foundation
import GRDB
import History
import Markets

@testable import Engine
@testable import pricewatch

/// A database of three hours in which every table has rows, as a daemon leaves it.
struct FilledDatabase {
    /// When its first poll began.
    var start = Date(timeIntervalSince1970: 1_795_255_200)
    /// A minute after its last poll.
    var end: Date { start + .hours(3) }
    /// The configuration that it was recorded under, without feeds and paths.
    static let configuration = """
        watch: {markets: [bitcoin, ethereum, tether]}
        alerts:
          - {name: high, market: bitcoin, above: 1}
          - {name: drop, markets: all, falls: 5%, within: 1h}

        """

    /// - Parameter closed: False leaves the newest rows in the write-ahead log, as a kill does.
    func write(to path: String, closed: Bool = true) throws {
        let writer = try HistoryWriter(at: path)
        for minute in stride(from: 0, to: 175, by: 7) { try writer.record(try poll(minute)) }
        try write(to: writer) { commit in
            commit.idleCycle = (
                at: start + .minutes(176), watched: WatchedMarkets(try markets, currencies: .init(.usd))
            )
        }
        _ = try writer.backfill(try past)
        try write(to: writer, addAlerts)
        try write(to: writer) { $0.outbox = [.postpone(try postponed)] }
        try write(to: writer) { commit in
            commit.exports = ["cluster": StoredExport(address: "e0", poll: 7, sent: 21, refused: 1)]
        }
        try writer.keep(Data(#"{"content": "bm9uZQ=="}"#.utf8), as: "body /coins/list", of: "coingecko")
        _ = try writer.countRequests(25, of: "coingecko", in: "2026-11")
        try silence(path)
        try writer.record(try poll(179))
        if closed { return try writer.close() }
        // The files of a daemon that was killed are those of one that still runs.
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: path + ".killed" + suffix)
        }
        try writer.close()
        for suffix in ["", "-wal"] { _ = try replace(path + suffix, with: path + ".killed" + suffix) }
        try? FileManager.default.removeItem(atPath: path + "-shm")
    }

    private func replace(_ path: String, with other: String) throws {
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: other, toPath: path)
    }

    private var markets: [MarketID] {
        get throws { try ["bitcoin", "ethereum", "tether"].map { try MarketID($0) } }
    }

    private func poll(_ minute: Int) throws -> PollRecord {
        let at = start + .minutes(minute)
        var record = PollRecord(
            at: at, fetchedAt: at + .seconds(1), feed: minute % 2 == 0 ? "coingecko" : "stocks",
            source: minute % 5 == 1 ? .own("stocks") : .shared, interval: .minutes(7), currency: .usd,
            outcome: minute % 4 == 3 ? .partial : .ok, watched: WatchedMarkets(try markets, currencies: .init(.usd)),
            ranking: try markets)
        for (place, market) in try markets.enumerated() where minute % 4 != 3 || place > 0 {
            let price = Price(significand: Int64(60_000 + minute * 10 + place), exponent: -place)
            guard let price else { continue }
            record.samples.append(
                Sample(
                    market: market, symbol: String(market.text.prefix(3)), name: market.text.capitalized, price: price,
                    quotedAt: at - .seconds(5), volume24h: 1.5e9, marketCap: 2.5e12, confirmed: minute % 9 != 4))
        }
        // Tether was a portfolio for a while.
        if minute < 14 { record.samples[record.samples.count - 1].amounts = "0.5 bitcoin" }
        if minute % 4 == 3 { record.unknown = [(try markets[0], .nullPrice)] }
        // The poll before recorded it unconfirmed.
        if minute == 56, let price = Price(significand: 60_491, exponent: 0) {
            let answeredAt = start + .minutes(49) + .seconds(1)
            record.moves = [
                LargeMove(
                    market: try markets[0], stage: .confirmed,
                    price: MarketBoard.PriceSample(
                        price: price, quotedAt: answeredAt, fetchedAt: answeredAt, feed: "stocks"), trusted: price)
            ]
        }
        if minute == 21 { (record.outcome, record.error, record.samples) = (.failed, "timeout", []) }
        return record
    }

    private var past: BackfillAnswer {
        get throws {
            let quotes = (0..<12).compactMap { step in
                Price(significand: Int64(59_000 + step), exponent: 0).map {
                    PastQuote(quotedAt: start - .minutes(60 - step * 5), price: $0)
                }
            }
            return BackfillAnswer(
                market: try MarketID("bitcoin"), currency: .usd, feed: "coingecko", fetchedAt: end - .minutes(1),
                holes: Holes([start - .hours(1)..<start]), quotes: quotes)
        }
    }

    private func addAlerts(to commit: inout Commit) throws {
        let (bitcoin, ether) = (try markets[0], try markets[1])
        let (high, drop) = (AlertKey(rule: "high", market: bitcoin), AlertKey(rule: "drop", market: ether))
        let since = start + .minutes(100)
        let price = Price(significand: 61, exponent: 3)
        commit.alerts = [
            high: Alert(
                state: .firing(
                    .init(
                        since: since, lastNotified: since + .minutes(20), notifiedPrice: price, side: .up,
                        clearedFor: WatchedTime(total: .seconds(5), lastAnswered: since + .minutes(30)))),
                condition: "above 1", announcements: 2),
            drop: Alert(
                state: .pending(
                    since: since + .minutes(30),
                    held: WatchedTime(total: .minutes(1), lastAnswered: since + .minutes(31))),
                condition: "falls 5% within 1h"),
        ]
        let events = [
            event("e1", .firing, high, since), event("e2", .reminder, high, since + .minutes(20)),
            event("e3", .pending, drop, since + .minutes(30)),
        ]
        commit.events = events
        commit.logged = ["e1"]
        let note = Note(kind: .gap, title: "words", at: since, host: "box")
        commit.outbox = [
            .queue(OutgoingMessage(id: "m1", channel: "ops", createdAt: since, events: [events[0]])),
            .queue(OutgoingMessage(id: "m2", channel: "ops", createdAt: since, events: [events[1], events[2]])),
            .queue(OutgoingMessage(id: "m3", channel: "ops", createdAt: since, events: [], note: note)),
        ]
        commit.notified = [high: ["ops", "phone"]]
        commit.digest = start - .hours(3)
    }

    /// The second message, after three attempts.
    private var postponed: QueuedMessage {
        get throws {
            var commit = Commit()
            try addAlerts(to: &commit)
            guard case .queue(let message) = commit.outbox[1] else { throw CocoaError(.featureUnsupported) }
            var queued = message.queued
            (queued.attempts, queued.notBefore, queued.lastError) = (3, end + .hours(1), "503")
            return queued
        }
    }

    private func write(to writer: HistoryWriter, _ fill: (inout Commit) throws -> Void) throws {
        var commit = Commit()
        try fill(&commit)
        if let fault = writer.commit(commit).fault { throw CommandError(fault, Exit.inputOutput) }
    }

    private func event(_ id: String, _ kind: AlertEvent.Kind, _ key: AlertKey, _ at: Date) -> AlertEvent {
        AlertEvent(
            id: id, kind: kind, reason: .firstFiring, rule: key.rule, market: key.market, symbol: "btc",
            name: "Bitcoin", currency: .usd, severity: .critical, note: "n", condition: "above 1",
            price: Price(significand: 61, exponent: 3), threshold: Price(significand: 1, exponent: 0),
            changePercent: Percent(hundredths: -512), at: at, quotedAt: at - .seconds(5), since: at, lateSeconds: 7,
            silencedUntil: at + .hours(1), feed: "coingecko", host: "box")
    }

    private func silence(_ path: String) throws {
        let desk = try CommandDatabase(at: path)
        let until = end + .hours(5)
        try desk.silence(rule: "high", market: nil, from: end - .hours(1), until: until)
        try desk.silence(rule: nil, market: try MarketID("tether"), from: end - .hours(1), until: until)
        try desk.silence(rule: "drop", market: try MarketID("bitcoin"), from: end - .hours(1), until: until)
    }

    /// The tables that are no bookkeeping of SQLite's, with their columns, in the order in which they were made.
    static func columns(of path: String) throws -> [(table: String, columns: [String])] {
        try DatabaseQueue(path: path).read { db in
            let tables = try String.fetchAll(
                db,
                sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid")
            return try tables.map { table in (table, try db.columns(in: table).map(\.name)) }
        }
    }

    static func emptyTables(of path: String) throws -> [String] {
        let tables = try columns(of: path).map(\.table)
        return try DatabaseQueue(path: path).read { db in
            try tables.filter { try Bool.fetchOne(db, sql: "SELECT NOT EXISTS (SELECT 1 FROM \($0))") == true }
        }
    }
}
