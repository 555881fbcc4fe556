import Foundation
import Glibc
import Markets
import Synchronization

/// Returns memory that an idle daemon does not need: program text, most of which only the start runs, and freed memory
/// that the allocator keeps. The kernel counts both as resident, two thirds of the total. Text that is needed again
/// comes from the page cache, in 1 ms for a poll.
enum IdleMemory {
    /// The shortest time between two calls: after every poll of a short interval it would be a third of the poll's
    /// cost.
    static let interval = Duration.seconds(30)
    private static let last = Mutex<Duration?>(nil)

    /// Has one heap for all threads; called before there are others. A daemon whose channels hang for a day had 12 MB of
    /// 20 in the gaps of four heaps, and the gaps grew.
    static func shareHeap() { set([(.heaps, 1)]) }

    /// Keeps freed memory for the next poll: returned after each, and faulted in again, it cost a tenth of a poll.
    static func keepFreed() { set([(.trimThreshold, 1 << 20), (.mmapThreshold, 1 << 20)]) }

    /// Returns the memory of a page as soon as it is sent.
    static func returnFreed() { set([(.trimThreshold, 128 << 10), (.mmapThreshold, 64 << 10)]) }

    /// Numbers of glibc's malloc.h.
    private enum Option: CInt {
        case trimThreshold = -1
        case mmapThreshold = -3
        case heaps = -8
    }

    private static func set(_ options: [(Option, CInt)]) {
        // glibc's `mallopt`, which Swift's Glibc module lacks, too.
        guard let symbol = dlsym(nil, "mallopt") else { return }
        let set = unsafeBitCast(symbol, to: (@convention(c) (_ option: CInt, _ value: CInt) -> CInt).self)
        for (option, value) in options { _ = set(option.rawValue, value) }
    }

    /// Returns the memory to the kernel, unless `interval` has not passed since the last time.
    static func giveBack(at uptime: Duration) {
        let isDue = last.withLock { last in
            if let before = last, uptime - before < interval { return false }
            last = uptime
            return true
        }
        guard isDue else { return }
        giveBackText()
        // glibc's `malloc_trim`, which Swift's Glibc module lacks.
        guard let symbol = dlsym(nil, "malloc_trim") else { return }
        _ = unsafeBitCast(symbol, to: (@convention(c) (_ kept: Int) -> CInt).self)(0)
    }

    /// Drops executable pages mapped from files, which are never written.
    private static func giveBackText() {
        guard let maps = try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8) else { return }
        for line in maps.split(separator: "\n") {
            // `55862df14000-55863079d000 r-xp 00000000 fe:00 1024844  /usr/bin/pricewatch`
            let fields = line.split(separator: " ")
            guard fields.count >= 6, fields[5].hasPrefix("/"), fields[1] == "r-xp" else { continue }
            let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            guard bounds.count == 2, let start = UnsafeMutableRawPointer(bitPattern: bounds[0]) else { continue }
            // These pages equal the file, so nothing is lost. Relocated constants differ from it, and are not dropped.
            _ = madvise(start, Int(bounds[1] - bounds[0]), MADV_DONTNEED)
        }
    }
}
