import Foundation
import Markets

/// What a turn leaves behind in which nobody was asked, written in one transaction.
public struct WaitRecord: Sendable {
    /// When the age of what is known was judged.
    public var at: Date
    public var currency: Currency
    /// The markets that are watched from this turn on; nil: those of the poll before.
    public var watched: [MarketID]?
    /// See `PollRecord.named`.
    public var named: [MarketID]
    public var alerts: AlertRecord
    /// See `PollRecord.daemonStart`.
    public var daemonStart: Date?

    public init(
        at: Date, currency: Currency, watched: [MarketID]? = nil, named: [MarketID] = [],
        alerts: AlertRecord = AlertRecord(),
        daemonStart: Date? = nil
    ) {
        self.at = at
        self.currency = currency
        self.watched = watched
        self.named = named
        self.alerts = alerts
        self.daemonStart = daemonStart
    }
}
