import Engine
import History

@testable import pricewatch

extension HistoryWriter {
    /// Commits one poll, with what `change` adds to it.
    func record(_ poll: PollRecord, change: (inout Commit) -> Void = { _ in }) throws {
        var commit = Commit()
        commit.polls = [poll]
        change(&commit)
        if let fault = self.commit(commit).fault { throw CommandError(fault, Exit.inputOutput) }
    }
}
