import History

/// Notices what a command beside the daemon heals. It is taken in when the command has ended or rests: an answer comes
/// every few seconds, and to count the windows anew costs as much as a start.
struct HealedBeside {
    private var taken: Int64
    private var isWaiting = false

    init(_ reader: HistoryReader) { taken = (try? reader.healings()) ?? 0 }

    /// Asked once a turn: whether something was healed, and nobody has written since the turn before.
    mutating func isToBeTaken(from reader: HistoryReader, othersWrote: Bool) -> Bool {
        guard !othersWrote else {
            isWaiting = ((try? reader.healings()) ?? taken) != taken
            return false
        }
        defer { isWaiting = false }
        return isWaiting
    }

    /// All that is healed so far counts.
    mutating func takeIn(_ reader: HistoryReader) { taken = (try? reader.healings()) ?? taken }
}
