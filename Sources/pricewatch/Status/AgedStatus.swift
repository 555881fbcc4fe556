import Engine
import Foundation
import Markets

extension StatusDocument {
    /// The status as it stands now: age makes quotes stale that were fresh when it was written, also where nobody is left
    /// to write it anew.
    ///
    /// - Parameter staleAfter: from when on a market's quote is old.
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
        // What was fresh when it was written may become so old, whatever the configuration says by now; and the file has
        // whole seconds.
        let allowed = max(staleAfter(market), writtenAt.since(quotedAt)) + .seconds(1)
        return now.since(quotedAt) > allowed
    }

    /// What the daemon would say of its state; one that has ended, or has only begun, says nothing of markets.
    private mutating func judge(_ listed: [Market]) {
        guard ["ok", "degraded", "failing"].contains(state) else { return }
        let stale = listed.filter { $0.state == "stale" }.map(\.market)
        let reason = Reason(
            code: StatusReport.Reason.Code.marketStale.rawValue, message: StatusReasons.message("stale", stale))
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

    /// The largest moves of the listed markets, and of those beyond the list that stood among the largest.
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
