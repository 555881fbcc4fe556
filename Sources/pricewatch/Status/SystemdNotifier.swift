import Engine
import Foundation
import Glibc
import Markets
import Synchronization

/// Sends notifications to the socket of `$NOTIFY_SOCKET` (systemd or compatible); does nothing if that is unset.
final class SystemdNotifier: Sendable {
    private let socketPath: String?
    private let sent = Mutex(Sent())

    /// The longest status text in bytes. systemd reads at most 4096 bytes of a message and drops longer ones.
    private static let longestStatus = 1000

    private struct Sent {
        var ready = false
        var watchdog: Duration?

        /// The notifications that the supervisor acts on.
        mutating func signals(_ report: StatusReport, finished: Bool, deadline: Duration) -> [String] {
            if report.state == .starting {
                // The start may take as long as one cycle.
                return ["EXTEND_TIMEOUT_USEC=\((deadline + .seconds(30)).inMilliseconds * 1000)"]
            }
            var signals = report.state == .stopping ? ["STOPPING=1"] : []
            let next = report.interval + deadline + .seconds(30)
            // A longer interval is sent at once, before the old one expires. A shorter one is sent with the next
            // finished cycle, since the time already passed would count against it.
            let isLonger = watchdog.map { next > $0 } ?? false
            if finished, !ready {
                signals.append("READY=1")
                ready = true
            }
            if finished ? watchdog != next : isLonger {
                signals.append("WATCHDOG_USEC=\(next.inMilliseconds * 1000)")
                watchdog = next
            }
            if finished { signals.append("WATCHDOG=1") }
            return signals
        }
    }

    init(environment: [String: String]) {
        socketPath = environment["NOTIFY_SOCKET"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Sends READY with the first finished cycle, WATCHDOG with each, STOPPING once. The status text is a message of
    /// its own: if it is rejected, the others still arrive.
    func tell(_ report: StatusReport, finished: Bool, deadline: Duration) {
        guard socketPath != nil else { return }
        let signals = sent.withLock { $0.signals(report, finished: finished, deadline: deadline) }
        if !signals.isEmpty { send(signals.joined(separator: "\n")) }
        let words = report.line(at: report.writtenAt)
        send("STATUS=" + words.cut(toBytes: Self.longestStatus))
    }

    /// A reload has started; `reloaded` ends it. Nothing is sent before READY, which must not be early.
    func reloading() {
        guard sent.withLock(\.ready) else { return }
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        send("RELOADING=1\nMONOTONIC_USEC=\(time.tv_sec * 1_000_000 + time.tv_nsec / 1000)")
    }

    func reloaded() {
        guard sent.withLock(\.ready) else { return }
        send("READY=1")
    }

    private func send(_ message: String) {
        guard let socketPath else { return }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var path = Array(socketPath.utf8)
        guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + path.count)
        if path[0] == UInt8(ascii: "@") { path[0] = 0 }  // a name in the abstract namespace
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let bytes = Array(message.utf8)
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), address, length)
            }
        }
    }
}
