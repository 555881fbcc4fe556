/// Finds the word that was probably meant, for hints in errors.
package enum Spelling {
    /// The first word that begins with `word`, or the one with the smallest distance; nil if that exceeds 1 to 3,
    /// depending on the length of `word`.
    package static func closest(to word: String, among words: [String]) -> String? {
        let word = word.lowercased()
        if word.count >= 3, let longer = words.first(where: { $0.hasPrefix(word) }) { return longer }
        let allowed = word.count <= 3 ? 1 : word.count <= 7 ? 2 : 3
        let ranked = words.map { (word: $0, distance: distance(word, $0.lowercased(), limit: allowed)) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }), best.distance <= allowed else { return nil }
        return best.word
    }

    /// The number of letters added, left out, replaced or swapped with their neighbour. More than `limit` if it is
    /// larger, then not exact.
    static func distance(_ a: String, _ b: String, limit: Int) -> Int {
        let (a, b) = (Array(a), Array(b))
        guard abs(a.count - b.count) <= limit else { return limit + 1 }
        var beforePrevious: [Int] = []
        var previous = Array(0...b.count)
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                var least = min(previous[j + 1] + 1, row[j] + 1, previous[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { least = min(least, beforePrevious[j - 1] + 1) }
                row.append(least)
            }
            (beforePrevious, previous) = (previous, row)
        }
        return previous[b.count]
    }
}
