import Foundation
import Markets

/// Names for which a provider refuses whole requests. They are found by halving, and left out for a day.
struct RefusedNames {
    /// A symbol may be listed tomorrow.
    static let memory = Duration.hours(24)

    private var since: [String: Date] = [:]

    func removed(from watch: Watch, at now: Date) -> Watch {
        guard !since.isEmpty else { return watch }
        var watch = watch
        let all = watch.entries
        watch.entries.removeAll { entry in
            since[entry.providerID].map { (.zero...Self.memory).contains(now.since($0)) } ?? false
        }
        // With nothing left to ask, the provider's own word is better than our memory of it.
        if watch.entries.isEmpty, watch.top == 0 { watch.entries = all }
        return watch
    }

    /// What to ask in place of a page that was refused; empty where it named one market, which is then remembered.
    mutating func halves(of content: PageRequest.Content, in watch: Watch, at now: Date) -> [Watch] {
        guard case .named(let markets) = content else { return [] }
        let asked = Set(markets)
        let entries = watch.entries.filter { asked.contains($0.market) }
        guard entries.count > 1 else {
            if let entry = entries.first { since[entry.providerID] = now }
            return []
        }
        let middle = entries.count / 2
        return [entries[..<middle], entries[middle...]].map { Watch(Array($0), currency: watch.currency) }
    }
}
