import Synchronization

@testable import pricewatch

/// Log lines kept for a look.
final class Lines: LogOutlet {
    private let lines = Mutex<[LogLine]>([])
    var all: [LogLine] { lines.withLock { $0 } }
    func write(_ line: LogLine) { lines.withLock { $0.append(line) } }
}
