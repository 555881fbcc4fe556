import Foundation
import Markets

@testable import Engine

/// One rule on bitcoin, polled every minute, and what it announces.
struct AlertStage {
    var rule: AlertRule
    let watchlist: Watchlist
    var board: MarketBoard
    var book: AlertBook
    var now = moment()
    static let every = Duration.minutes(1)

    private static let identity = AlertBook.Identity(installation: "here", host: "box", currency: usd())

    /// - Parameter moveLimit: A larger move waits for the next poll; nil: none does.
    init(_ rule: AlertRule, moveLimit: Percent? = nil) {
        self.rule = rule
        let bitcoin = Watchlist.Item(
            market: market("bitcoin"), staleness: .init(after: .minutes(15)), moveLimit: moveLimit)
        watchlist = Watchlist(
            named: [bitcoin], top: 0, staleness: .init(after: .minutes(15)), currencies: .init(usd()))
        board = MarketBoard(watching: watchlist)
        book = AlertBook(rules: [rule], remembering: [:], identity: Self.identity)
    }

    /// What a poll brings.
    enum Poll: Equatable {
        case price(String)
        /// Answered without a usable price.
        case null
        /// The provider said that nothing changed.
        case unchanged
        case failed
    }

    /// Plays polls a minute apart; the word of each event, with its reason.
    mutating func play(_ polls: [Poll]) -> [String] {
        polls.map { poll in
            defer { now = now + Self.every }
            return cycle(poll).map { "\($0.kind.rawValue):\($0.reason.rawValue)" }.joined(separator: " ")
        }
    }

    mutating func cycle(_ poll: Poll, watchedUntil: Date? = nil) -> [AlertEvent] {
        switch poll {
        case .price(let text): _ = board.apply(answer(quote("bitcoin", text, at: now), at: now))
        case .null: _ = board.apply(answer(unusable: ["bitcoin": .nullPrice], at: now))
        case .unchanged: _ = board.apply(nothingNew(at: now))
        case .failed: break
        }
        return book.evaluate(
            board,
            at: .init(
                now: now, interval: Self.every, watchedUntil: watchedUntil, answered: poll != .failed,
                lastUsableAnswer: moment())
        ).events
    }

    /// The daemon ends and starts again; what it had seen comes back from the record.
    mutating func restart(recalling past: [(Date, Poll)] = []) {
        var next = AlertBook(
            rules: [rule], remembering: book.states, identity: Self.identity)
        next.silences = book.silences
        // What was unknown stays so while nothing changes, and is recorded so.
        var isUnknown = true
        for (at, poll) in past {
            switch poll {
            case .price(let text):
                isUnknown = false
                next.recall(poll: at, samples: [(0, at, price(text))], unknown: [], of: [market("bitcoin")])
            case .null:
                isUnknown = true
                next.recall(poll: at, samples: [], unknown: [0], of: [market("bitcoin")])
            case .unchanged:
                next.recall(poll: at, samples: [], unknown: isUnknown ? [0] : [], of: [market("bitcoin")])
            case .failed: break
            }
        }
        book = next
    }
}

extension AlertStage.Poll: ExpressibleByStringLiteral {
    /// `"11.5"` a price, `"?"` none, `"="` unchanged, `"x"` failed.
    init(stringLiteral text: String) {
        self =
            switch text {
            case "?": .null
            case "=": .unchanged
            case "x": .failed
            default: .price(text)
            }
    }
}

func bitcoinRule(
    _ condition: AlertRule.Condition, holdFor: Duration = .zero, clear: String? = nil, keepFiringFor: Duration = .zero,
    repeatEvery: Duration? = nil, repeatOnMove: Int64? = nil, once: Bool = false, expires: Date? = nil,
    enabled: Bool = true
) -> AlertRule {
    AlertRule(
        name: "r", scope: .markets([market("bitcoin")]), condition: condition, holdFor: holdFor,
        clear: clear.map(price), keepFiringFor: keepFiringFor, repeatEvery: repeatEvery,
        repeatOnMove: repeatOnMove.map { Percent(hundredths: $0 * 100) }, once: once, expires: expires,
        enabled: enabled)
}

func percent(_ whole: Int64) -> Percent { Percent(hundredths: whole * 100) }
