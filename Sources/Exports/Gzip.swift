import CZlib
import Foundation

/// Compression of a request's body (RFC 1952).
enum Gzip {
    /// The fastest level: lines of one poll resemble each other, and more effort saves few bytes.
    private static let level: Int32 = 1
    /// The largest window of deflate, and 16 for the header of gzip.
    private static let window: Int32 = 15 + 16
    private static let memory: Int32 = 8

    /// The packed bytes; nil if zlib has no memory.
    static func pack(_ bytes: some ContiguousBytes & Collection<UInt8>) -> Data? {
        var stream = z_stream()
        let size = Int32(MemoryLayout<z_stream>.size)
        let opened = deflateInit2_(
            &stream, level, Z_DEFLATED, window, memory, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
        guard opened == Z_OK, bytes.count <= Int(UInt32.max) else { return nil }
        defer { deflateEnd(&stream) }
        // The bound makes one call of `deflate` enough.
        let bound = Int(deflateBound(&stream, uLong(bytes.count)))
        var packed = Data(count: bound)
        let end = bytes.withUnsafeBytes { input in
            packed.withUnsafeMutableBytes { output in
                // zlib only reads what `next_in` points to.
                stream.next_in = UnsafeMutablePointer(
                    mutating: input.bindMemory(to: UInt8.self).baseAddress)
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.bindMemory(to: UInt8.self).baseAddress
                stream.avail_out = UInt32(output.count)
                return deflate(&stream, Z_FINISH)
            }
        }
        guard end == Z_STREAM_END else { return nil }
        packed.count = bound - Int(stream.avail_out)
        return packed
    }
}
