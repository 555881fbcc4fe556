/// An id derived from its parts, so that the same thing always has the same id.
package enum StableID {
    /// 16 hexadecimal digits. Other parts, or the same text split elsewhere, give another id.
    package static func of(_ parts: [String]) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325  // FNV-1a
        for part in parts {
            for byte in part.utf8 + [0] {
                hash ^= UInt64(byte)
                hash &*= 0x0000_0100_0000_01b3
            }
        }
        // FNV gives similar ids to similar inputs; users recognise ids by their first digits.
        hash = (hash ^ (hash >> 32)) &* 0x9fb2_1c65_1e98_df25
        hash ^= hash >> 28
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

extension StableID {
    /// A number from 0 up to 1, derived from the parts: spreads retries without a source of randomness.
    package static func fraction(of parts: [String]) -> Double {
        Double(UInt64(of(parts), radix: 16) ?? 0) / 18_446_744_073_709_551_616
    }
}
