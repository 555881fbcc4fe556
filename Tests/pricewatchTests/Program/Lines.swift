import Synchronization

@testable import pricewatch

/// Log lines kept for a look.
final class Lines: LogOutlet {
    private let lines = Mutex<[LoggedLine]>([])
    var all: [LoggedLine] { lines.withLock { $0 } }
    func write(_ line: LoggedLine) { lines.withLock { $0.append(line) } }
}
