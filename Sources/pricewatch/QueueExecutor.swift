import Dispatch
@_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency

/// Runs the program's tasks on one serial Dispatch queue, so that a daemon which waits sleeps.
///
/// Swift's own executor uses Dispatch's global queues. From the first job on, libdispatch counts their running threads
/// once a second for as long as the process lives: 1.0 voluntary context switches a second of a daemon that has
/// nothing to do. A queue of one's own is not counted. The network has a thread of its own, SQLite's work is short,
/// so one thread is enough, and its stack and heap are all that is kept.
final class QueueExecutor: TaskExecutor, SchedulingExecutor {
    private let queue = DispatchQueue(label: "pricewatch.tasks")

    /// From now on everything runs here; must come before the first task.
    static func install() { _createExecutors(factory: Factory.self) }

    private struct Factory: ExecutorFactory {
        static let defaultExecutor: any TaskExecutor = QueueExecutor()
        static var mainExecutor: any MainExecutor { PlatformExecutorFactory.mainExecutor }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    func enqueue<C: Clock>(
        _ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C
    ) {
        // The clocks of the system measure in `Duration`; for one that does not, its own reading has to do.
        let seconds = (delay as? Duration).map { $0 / .seconds(1) } ?? 0
        let job = UnownedJob(job)
        queue.asyncAfter(deadline: .now() + seconds) { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
