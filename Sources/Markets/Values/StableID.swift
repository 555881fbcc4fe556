/// An id that follows from what it names, so that the same thing has the same id whenever it is told again.
public enum StableID {
    /// 16 hexadecimal digits; other parts, or the same ones cut elsewhere, make another id.
    public static func of(_ parts: [String]) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325  // FNV-1a
        for part in parts {
            for byte in part.utf8 + [0] {
                hash ^= UInt64(byte)
                hash &*= 0x0000_0100_0000_01b3
            }
        }
        // FNV leaves neighbours alike; people tell ids apart by their first digits.
        hash = (hash ^ (hash >> 32)) &* 0x9fb2_1c65_1e98_df25
        hash ^= hash >> 28
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
