/// Finds the word someone probably meant.
enum Spelling {
    /// The known word with the fewest typing errors, if they are few for its length.
    static func nearest(to word: String, among known: [String]) -> String? {
        let typed = word.lowercased()
        let best = known.sorted().map { (word: $0, errors: distance(typed, $0)) }.min { $0.errors < $1.errors }
        guard let best, best.errors <= max(1, best.word.count / 3) else { return nil }
        return best.word
    }

    /// Insertions, removals, replacements and swaps of neighbours that lead from one to the other.
    private static func distance(_ from: String, _ to: String) -> Int {
        let (from, to) = (Array(from), Array(to))
        var beforeLast: [Int] = []
        var last = Array(0...to.count)
        for (i, letter) in from.enumerated() {
            var row = [i + 1]
            for (j, other) in to.enumerated() {
                var errors = min(last[j + 1] + 1, row[j] + 1, last[j] + (letter == other ? 0 : 1))
                if i > 0, j > 0, letter == to[j - 1], from[i - 1] == other {
                    errors = min(errors, beforeLast[j - 1] + 1)
                }
                row.append(errors)
            }
            (beforeLast, last) = (last, row)
        }
        return last[to.count]
    }
}
