import Glibc

/// Signals that other daemons reopen their log at, and that would end the process: ours needs none for that.
enum HarmlessSignals {
    /// A handler that does nothing, unlike a signal that is ignored, is not passed on to programs that are started.
    static func arm() {
        for number in [SIGUSR1, SIGUSR2] { signal(number) { _ in } }
    }
}
