import Foundation
import Glibc
import Synchronization

/// Memory that a waiting daemon does not need: the program's text, of which a start runs the most (reading the
/// configuration, linking, the first handshake), and what was freed and is kept for the next time.
///
/// The kernel counts both as this process's memory, two thirds of all of it. Given back, they cost nothing; text that is
/// needed again comes from the page cache, in a millisecond for a poll.
final class IdlePages: Sendable {
    /// Not after every poll of a fast rhythm: there it would be a third of the poll's cost.
    private static let rhythm = Duration.seconds(30)
    private let last = Mutex<ContinuousClock.Instant?>(nil)

    /// Gives it back, unless that was done a moment ago.
    func giveBack(at now: ContinuousClock.Instant = .now) {
        let isDue = last.withLock { last in
            if let before = last, now - before < Self.rhythm { return false }
            last = now
            return true
        }
        guard isDue else { return }
        Self.giveBackText()
        Self.giveBackFreed()
    }

    /// What lies free between what is still in use, by glibc's `malloc_trim`, which Swift's module of glibc lacks.
    private static func giveBackFreed() {
        guard let symbol = dlsym(nil, "malloc_trim") else { return }
        _ = unsafeBitCast(symbol, to: (@convention(c) (_ kept: Int) -> CInt).self)(0)
    }

    /// What is mapped from files and never written.
    private static func giveBackText() {
        guard let maps = try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8) else { return }
        for line in maps.split(separator: "\n") {
            // `55862df14000-55863079d000 r-xp 00000000 fe:00 1024844  /usr/bin/pricewatch`
            let fields = line.split(separator: " ")
            guard fields.count >= 6, fields[5].hasPrefix("/") else { continue }
            // Program text, or the tables at a file's beginning by which it was linked.
            guard fields[1] == "r-xp" || (fields[1] == "r--p" && fields[2] == "00000000") else { continue }
            let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            guard bounds.count == 2, let start = UnsafeMutableRawPointer(bitPattern: bounds[0]) else { continue }
            // Both are as the file has them, so nothing can be lost. Other pages that only may be read, those of constants
            // with addresses in them, were written while linking, and would be.
            _ = madvise(start, Int(bounds[1] - bounds[0]), MADV_DONTNEED)
        }
    }
}
