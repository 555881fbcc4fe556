import Foundation
import Glibc

/// The pages of program text that only a start needs: reading the configuration, linking, the first handshake.
///
/// The kernel counts them as this process's memory as long as they are mapped, a third of all of it. Given back, they
/// cost nothing; one that is needed after all comes from the page cache again.
enum StartupPages {
    /// Gives back what is mapped from files and never written.
    static func giveBack() {
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
