import Foundation
import Markets

/// Recorded samples and alert states, oldest first, that are sent to a time-series engine in one request.
package struct ExportBatch: Hashable, Sendable {
    /// Confirmed samples alone.
    package var samples: [ExportedSample]
    package var alerts: [ExportedAlert]
    /// The id of the newest poll in it: the next batch begins behind it.
    package var upTo: Int64
    /// How many of the samples the engine has acknowledged before.
    package var repeated: Int
    /// How many samples, confirmed or not, were recorded by those of its polls that are not sent again.
    package var taken: Int
    /// When the answer of the first poll behind this batch was complete; nil: it is the last.
    package var next: Date?
    /// When the answers of its first poll that the engine may not have kept, and of its newest, were complete.
    package var first: Date?
    package var last: Date?

    /// The most lines of a batch, unless one poll has more.
    package static let mostLines = 20_000

    package init(
        samples: [ExportedSample] = [], alerts: [ExportedAlert] = [], upTo: Int64, repeated: Int = 0, taken: Int = 0,
        next: Date? = nil
    ) {
        self.samples = samples
        self.alerts = alerts
        self.upTo = upTo
        self.repeated = repeated
        self.taken = taken
        self.next = next
    }

    package var isEmpty: Bool { samples.isEmpty && alerts.isEmpty }
}

/// One price at the time for which the provider quoted it.
package struct ExportedSample: Hashable, Sendable {
    package var market: MarketID
    package var currency: Currency
    package var price: Price
    package var quotedAt: Date

    package init(market: MarketID, currency: Currency, price: Price, quotedAt: Date) {
        self.market = market
        self.currency = currency
        self.price = price
        self.quotedAt = quotedAt
    }
}

/// Whether an alert fired at a poll: true at each poll while it fires, and false once, at the poll that ended it.
package struct ExportedAlert: Hashable, Sendable {
    package var rule: String
    package var market: MarketID
    package var severity: AlertRule.Severity
    package var isFiring: Bool
    package var at: Date

    package init(rule: String, market: MarketID, severity: AlertRule.Severity, isFiring: Bool, at: Date) {
        self.rule = rule
        self.market = market
        self.severity = severity
        self.isFiring = isFiring
        self.at = at
    }
}

/// How a request to a time-series engine ended.
package enum ExportOutcome: Hashable, Sendable {
    /// The engine took the batch but for the lines that it refused for good.
    case sent(refused: [RefusedLine])
    /// To be tried again soon: no connection, a timeout, 408, 429, 5xx.
    case failed(cause: String, retryAfter: Duration?)
    /// The engine refuses every request until the user acts: 401, 403, 404.
    case blocked(cause: String)
    /// Cancelled because the daemon stopped.
    case interrupted

    /// A line that was refused alone, and the engine's words; both are untrusted text.
    package struct RefusedLine: Hashable, Sendable {
        package var line: String
        package var cause: String

        package init(line: String, cause: String) {
            self.line = line
            self.cause = cause
        }
    }
}
