import Foundation
import Markets
import TestSupport

@testable import Engine
@testable import History

typealias TemporaryFolder = TestSupport.TemporaryFolder

func price(_ text: String) -> Price {
    guard let price = Price(parsing: text) else { preconditionFailure("\(text) is no price") }
    return price
}

func market(_ text: String) -> MarketID {
    do { return try MarketID(text) } catch { preconditionFailure("\(text) is no market id") }
}

func usd() -> Currency {
    do { return try Currency("usd") } catch { preconditionFailure("usd is no currency") }
}

/// A moment, in seconds after 2026-11-21T10:00:00Z.
func moment(_ seconds: Double = 0) -> Date { Date(timeIntervalSince1970: 1_795_255_200 + seconds) }

func sample(_ id: String, _ text: String, quotedAt: Double) -> Sample {
    Sample(
        market: market(id), symbol: String(id.prefix(3)), name: id.capitalized, price: price(text),
        quotedAt: moment(quotedAt))
}

/// A poll that began at `second` and was answered a second later.
func poll(_ second: Double, _ samples: Sample..., outcome: PollOutcome = .ok) -> PollRecord {
    PollRecord(
        at: moment(second), fetchedAt: moment(second + 1), feed: "test", currency: usd(), outcome: outcome,
        samples: samples)
}

/// Nothing was written.
struct Unwritten: Error {
    let fault: String
    /// Nil where the database stays open.
    let kind: HistoryError.Kind?
}

extension HistoryWriter {
    /// Commits polls and what `change` adds to them.
    @discardableResult
    func commit(_ polls: PollRecord..., change: (inout Commit) -> Void = { _ in }) throws -> CommitResult {
        var commit = Commit()
        commit.polls = polls
        change(&commit)
        let result = self.commit(commit)
        if let why = result.fault { throw Unwritten(fault: why, kind: fault?.kind) }
        return result
    }
}

/// An answer about a market's past between two seconds, asked at the later one.
func backfillAnswer(_ id: String, _ from: Double, _ until: Double, _ quotes: (second: Double, text: String)...)
    -> BackfillAnswer
{
    BackfillAnswer(
        market: market(id), currency: usd(), feed: "past", fetchedAt: moment(until),
        holes: Holes([moment(from)..<moment(until)]),
        quotes: quotes.map { PastQuote(quotedAt: moment($0.second), price: price($0.text)) })
}

func event(_ id: String, _ kind: AlertEvent.Kind = .firing, at second: Double = 0) -> AlertEvent {
    AlertEvent(
        id: id, kind: kind, reason: .firstFiring, rule: "r \"quoted\"\n", market: market("bitcoin"), symbol: "btc",
        name: "Bitcoin", currency: usd(), severity: .critical, note: "n", condition: "above 10", price: price("11.5"),
        threshold: price("10"), changePercent: Percent(hundredths: -5), at: moment(second),
        quotedAt: moment(second - 1),
        since: moment(second), lateSeconds: 7, feed: "test", host: "box")
}

extension AlertRule.Condition: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) {
        guard let condition = Self(reading: text) else { preconditionFailure("\(text) is no condition") }
        self = condition
    }
}

extension Coverage {
    func share(at now: Date) -> Percent { Self.share(of: [(self, 1)], at: now) }
}
