import GRDB
import Markets

extension HistoryWriter: HealingStore {
    /// Writes an answer about the past in a transaction of its own, between two polls. Returns how many prices were new.
    @discardableResult
    public func heal(_ healing: Healing) throws(HistoryError) -> Int {
        let queue = try openDatabase()
        let count = try HistoryError.naming("record past prices in", path) {
            try carried.withLock { carried in
                // A transaction that fails takes back the numbers it gave out, and the candles it counted.
                var memory = carried
                let count = try queue.inImmediateTransaction { db in
                    var next = try CarriedOver(after: memory, db, currency: healing.currency)
                    defer { memory = next }
                    return try Heal.insert(healing, &next.series, &next.candles, db)
                }
                carried = memory
                return count
            }
        }
        totals.withLock { $0?.add(healing, count) }
        return count
    }
}

extension HistorySize {
    fileprivate mutating func add(_ healing: Healing, _ count: Int) {
        guard count > 0, let first = healing.holes.stretches.first?.lowerBound else { return }
        samples += Int64(count)
        oldestAt = min(oldestAt ?? first, first)
    }
}
