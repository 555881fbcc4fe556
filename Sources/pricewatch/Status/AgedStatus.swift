import Engine
import Foundation
import Markets

extension StatusDocument {
    /// The status at `now`: quotes that were fresh when it was written become stale with age, also if the daemon no
    /// longer updates it.
    ///
    /// - Parameter staleAfter: the age from which a market's quote is stale.
    func aged(at now: Date, staleAfter: (Market) -> Duration) -> StatusDocument {
        let old = (markets ?? []).indices.filter { isOld(markets?[$0], at: now, staleAfter) }
        guard !old.isEmpty, var listed = markets else { return self }
        var aged = self
        for place in old {
            aged.summary?.forget(listed[place])
            listed[place].state = "stale"
            listed[place].change = nil
            listed[place].basis = nil
        }
        aged.markets = listed
        aged.summary?.rank(listed)
        aged.judge(listed)
        return aged
    }

    private func isOld(_ market: Market?, at now: Date, _ staleAfter: (Market) -> Duration) -> Bool {
        guard let market, market.state == "fresh", let quotedAt = market.quotedAt else { return false }
        // A quote that was fresh at writing keeps the age it had then, even if the configuration's limit is shorter by
        // now. The file's times are whole seconds.
        let allowed = max(staleAfter(market), writtenAt.since(quotedAt)) + .seconds(1)
        return now.since(quotedAt) > allowed
    }

    /// Derives the state as the daemon does. A daemon that has stopped or just started reports no markets.
    private mutating func judge(_ listed: [Market]) {
        guard ["ok", "degraded", "failing"].contains(state) else { return }
        let stale = listed.filter { $0.state == "stale" }.map(\.market)
        let reason = Reason(
            code: StatusReport.Reason.Code.marketStale.rawValue, message: StatusReport.Reason.listing(stale, as: .stale)
        )
        reasons = (reasons ?? []).filter { $0.code != reason.code } + [reason]
        state = listed.contains { $0.state == "fresh" } || (marketsOmitted ?? 0) > 0 ? state : "failing"
        if state == "ok" { state = "degraded" }
    }
}

extension DaySummary {
    /// A market that is not fresh has no change.
    fileprivate mutating func forget(_ market: StatusDocument.Market) {
        guard let change = market.change else { return }
        if change > .zero { up -= 1 } else if change < .zero { down -= 1 } else { flat -= 1 }
        unknown += 1
    }

    /// Ranks the largest moves again: those of the listed markets and those of unlisted markets that were ranked
    /// before.
    fileprivate mutating func rank(_ listed: [StatusDocument.Market]) {
        let names = Set(listed.map(\.market))
        let others = (gainers + losers).filter { !names.contains($0.market.text) }
        let known = listed.compactMap { market -> Move? in
            guard let id = try? MarketID(market.market), let change = market.change else { return nil }
            return Move(market: id, change: change)
        }
        let again = DaySummary(changes: (known + others).map { ($0.market, $0.change) }, coverage: coverage)
        (gainers, losers) = (again.gainers, again.losers)
    }
}
