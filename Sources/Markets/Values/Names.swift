/// The name by which a provider knows a market, such as `bitcoin`.
///
/// Ids are taken as written: case, brackets and inner blanks belong to them (`bitCNY`, `boringdao-[old]`).
/// An id has 1 to 200 bytes of UTF-8, holds no control character and no comma (providers take
/// comma-separated lists), and neither begins nor ends with a blank.
package struct MarketID: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// In bytes of UTF-8. A longer text is refused, not cut: a cut id could be another market's.
    package static let longest = 200

    package let text: String

    /// Used in alerts about a provider whose name is not a valid id.
    package static let feed = MarketID(known: "feed")

    private init(known text: String) { self.text = text }

    /// Throws if `text` is not an id; the error's `reason` completes the sentence "a market id …".
    package init(_ text: String) throws(InvalidName) {
        // Fast path: nearly every id is plain ASCII, and a poll reads thousands.
        if (1...Self.longest).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ",") })
        {
            self.text = text
            return
        }
        guard !text.isEmpty else { throw InvalidName(reason: "must not be empty") }
        guard text.utf8.count <= Self.longest else {
            throw InvalidName(reason: "must not be longer than \(Self.longest) bytes")
        }
        for scalar in text.unicodeScalars {
            if scalar == "," { throw InvalidName(reason: "must not hold a comma") }
            if scalar.isUnprintable { throw InvalidName(reason: "must not hold a control character") }
        }
        for end in [text.unicodeScalars.first, text.unicodeScalars.last] where end?.properties.isWhitespace == true {
            throw InvalidName(reason: "must not begin or end with a blank")
        }
        self.text = text
    }

    package var description: String { text }

    package static func < (left: MarketID, right: MarketID) -> Bool { left.text < right.text }
}

/// The currency prices are quoted in, such as `usd`: 2 to 12 lower-case letters or digits.
package struct Currency: Hashable, Sendable, CustomStringConvertible {
    package let code: String

    /// US dollar.
    package static let usd = Currency(known: "usd")

    private init(known code: String) { self.code = code }

    /// Accepts either case (`USD` is `usd`).
    package init(_ text: String) throws(InvalidName) {
        let code = text.lowercased()
        guard (2...12).contains(code.utf8.count), code.utf8.allSatisfy({ (0x61...0x7A).contains($0) || $0.isDigit })
        else {
            throw InvalidName(reason: "must be 2 to 12 letters or digits, such as usd")
        }
        self.code = code
    }

    package var description: String { code }
}

/// The currency of each market's price: the same for all but those in `others`.
package struct MarketCurrencies: Hashable, Sendable {
    package var usual: Currency
    package var others: [MarketID: Currency]

    package init(_ usual: Currency, others: [MarketID: Currency] = [:]) {
        self.usual = usual
        self.others = others
    }

    package subscript(market: MarketID) -> Currency { others[market] ?? usual }
}

/// Why a text was refused as a name.
package struct InvalidName: Error, Hashable, Sendable {
    package let reason: String

    package init(reason: String) { self.reason = reason }
}

/// Finds the word that was probably meant, for hints in errors.
package enum Spelling {
    /// The first word that begins with `word`, or the one with the smallest distance; nil if that exceeds 1 to 3,
    /// depending on the length of `word`.
    package static func closest(to word: String, among words: [String]) -> String? {
        let word = word.lowercased()
        if word.count >= 3, let longer = words.first(where: { $0.hasPrefix(word) }) { return longer }
        let allowed = word.count <= 3 ? 1 : word.count <= 7 ? 2 : 3
        let ranked = words.map { (word: $0, distance: distance(word, $0.lowercased(), limit: allowed)) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }), best.distance <= allowed else { return nil }
        return best.word
    }

    /// The number of letters added, left out, replaced or swapped with their neighbour. More than `limit` if it is
    /// larger, then not exact.
    static func distance(_ a: String, _ b: String, limit: Int) -> Int {
        let (a, b) = (Array(a), Array(b))
        guard abs(a.count - b.count) <= limit else { return limit + 1 }
        var beforePrevious: [Int] = []
        var previous = Array(0...b.count)
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                var least = min(previous[j + 1] + 1, row[j] + 1, previous[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { least = min(least, beforePrevious[j - 1] + 1) }
                row.append(least)
            }
            (beforePrevious, previous) = (previous, row)
        }
        return previous[b.count]
    }
}

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

    /// A number from 0 up to 1, derived from the parts: spreads retries without a source of randomness.
    package static func fraction(of parts: [String]) -> Double {
        Double(UInt64(of(parts), radix: 16) ?? 0) / 18_446_744_073_709_551_616
    }
}
