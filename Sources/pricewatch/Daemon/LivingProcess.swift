import Glibc
import History

/// Whether the daemon that wrote a status is still there.
enum LivingProcess {
    /// - Parameter database: whose lock the daemon holds as long as it lives; a pid alone may belong to another
    ///   process by now.
    static func isDaemon(_ pid: Int32, of database: String?) -> Bool {
        // The demo watches itself: a process does not see its own lock, and would lose it by looking.
        if pid == getpid() { return true }
        // A process of another user exists, too, although it may not be signalled.
        guard kill(pid, 0) == 0 || errno == EPERM else { return false }
        guard let database, access(database + ".lock", R_OK) == 0 else { return true }
        return DaemonLock.holder(of: database) != nil
    }
}
