import GRDB
import Glibc
import Synchronization

/// How long a writer waits for a database that another program has locked: once, and from then on not at all until
/// it could write again. The daemon's thread also hears signals and keeps the time, so that it must not be held.
final class BusyPatience: Sendable {
    private let limit: Duration
    private let isUsedUp = Atomic(false)

    private static let step = Duration.milliseconds(10)

    init(_ limit: Duration) { self.limit = limit }

    var busyMode: Database.BusyMode { .callback { [self] in wait(after: $0) } }

    /// Something was written.
    func renew() { isUsedUp.store(false, ordering: .relaxed) }

    /// - Parameter tries: how often it was waited before.
    private func wait(after tries: Int) -> Bool {
        if isUsedUp.load(ordering: .relaxed) { return false }
        guard Self.step * tries < limit else {
            isUsedUp.store(true, ordering: .relaxed)
            return false
        }
        usleep(10_000)
        return true
    }
}
