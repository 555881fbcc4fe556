import Foundation
import Markets

/// Alerts on a portfolio whose amounts were edited, at its first value of the new ones.
extension AlertBook {
    /// The market numbers of the portfolios that got such a value in this answer.
    func revalued(on board: MarketBoard, at context: Context) -> [Int] {
        board.revalued.compactMap { market in
            guard let source = board[market]?.source, context[source].answered else { return nil }
            return markets.known(market)
        }
    }

    /// Nothing fires by an edit. What fires goes on without a word if its level still holds; else it is resolved as
    /// edited, as is what compares with earlier prices, of which none counts any more. A level that holds and did not
    /// fire stays dormant until it has ended.
    mutating func startAnew(_ market: Int, _ evaluation: inout Evaluation) {
        guard let price = prices[market] else { return }
        for index in rules.indices where scopes[index].markets?.contains(market) != false {
            let rule = rules[index]
            guard rule.enabled, !scopes[index].isOver, !rule.condition.isAboutData else { continue }
            let before = alerts[index][market] ?? Alert(condition: rule.condition)
            let observation = Observation.price(price, among: nil)
            let isMet = rule.condition.window == nil && rule.condition.isMet(by: observation) == true
            var alert = before
            switch before.state {
            case .latched: break
            case .pending where isMet: break
            case .firing(var firing) where firing.goesOn(by: rule, isMet: isMet, at: price):
                // Neither is the edit a further move.
                firing.notifiedPrice = price
                if isMet { firing.side = rule.condition.side(of: observation) }
                alert.state = .firing(firing)
            case .firing:
                end(&alert, key(index, market), rule, .amountsEdited, &evaluation)
                alert.state = rule.once ? .latched : isMet ? .dormant : .inactive
            case .inactive, .pending, .dormant: alert.state = isMet ? .dormant : .inactive
            }
            if alert != before { keep(alert, index, market, &evaluation) }
        }
    }
}

extension AlertState.Firing {
    /// Whether its level still holds. One that had ended and fires only for `keep_firing_for` does not.
    fileprivate func goesOn(by rule: AlertRule, isMet: Bool, at price: Price) -> Bool {
        guard rule.condition.window == nil, clearedFor == nil else { return false }
        return isMet || rule.clear.map { !rule.condition.isCleared(by: price, at: $0, from: side) } ?? false
    }
}
