/// Damages good bytes: without knowing their form, but with a dictionary of what its readers look for.
package struct Mutator {
    package var random: SeededNumbers
    private let words: [[UInt8]]

    /// Marks that belong to the character before them, direction and width; lone and overlong bytes; ends of numbers.
    private static let tricks: [[UInt8]] =
        [
            "\u{301}", "\u{200D}", "\u{202E}", "\u{FE0F}", "\u{FEFF}", "\u{2028}", "\u{85}", "\u{0}", "\u{1B}[2J", "🏳️‍🌈",
            "ﷺ",
            "e\u{301}\u{301}\u{301}", "１", "٣", "−", "\u{A0}", "\r\n", "\t", "1e18", "1e-18", "1e-19", "1e19", "1e400",
            "-0",
            "0.1", "000", "9999999999999999999", "18446744073709551616", "NaN", "Infinity", "0x10", "1_000", "1,5",
            "null",
            "true", "~", "\"", "'", "\\", "\\u0031", "\\ud800", "{", "}", "[", "]", ":", ",", "#", "&a", "*a", "!!int",
            "|",
            ">", "- ", "%", "..", "<", "&amp;", "$", "`",
        ].map { Array($0.utf8) } + [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x80]]

    /// - Parameter dictionary: words of the form that is damaged: keys, values, separators.
    package init(seed: UInt64, dictionary: [String]) {
        random = SeededNumbers(seed)
        words = dictionary.map { Array($0.utf8) } + Self.tricks
    }

    /// One to five changes; the length stays below `most` bytes.
    package mutating func mutated(_ good: [UInt8], most: Int) -> [UInt8] {
        var bytes = good
        for _ in 0...random.below(5) { change(&bytes) }
        return Array(bytes.prefix(most))
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        let place = random.below(bytes.count + 1)
        let end = min(bytes.count, place + 1 + random.below(12))
        switch random.below(12) {
        case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8(random.below(8))
        case 1 where place < bytes.count: bytes[place] = UInt8(random.below(256))
        case 2: bytes.removeSubrange(place..<end)
        case 3: bytes.insert(contentsOf: bytes[place..<end], at: random.below(bytes.count + 1))
        case 4: bytes.replaceSubrange(place..<end, with: random.pick(words))
        case 5, 6, 7: bytes.insert(contentsOf: random.pick(words), at: place)
        case 8: replaceDigits(&bytes, from: place)
        case 9: replaceWord(&bytes, from: place)
        case 10 where random.below(20) == 0:
            // A size up to a bound, and beyond it.
            let length = random.pick([50, 200, 201, 1000, 8192, 70_000])
            let word = random.pick(words)
            bytes.insert(contentsOf: (0..<max(1, length / word.count)).flatMap { _ in word }, at: place)
        case 11 where random.below(4) == 0: bytes.removeSubrange(place...)
        default: bytes.insert(contentsOf: random.pick(words), at: place)
        }
    }

    /// Another number in the place of the next one.
    private mutating func replaceDigits(_ bytes: inout [UInt8], from place: Int) {
        let isDigit = { (byte: UInt8) in (0x30...0x39).contains(byte) }
        guard let first = bytes[place...].firstIndex(where: isDigit) else { return }
        let end = bytes[first...].firstIndex { !isDigit($0) } ?? bytes.count
        let digits = (0...random.below(random.pick([2, 5, 20, 40]))).map { _ in UInt8(0x30 + random.below(10)) }
        bytes.replaceSubrange(first..<end, with: digits)
    }

    /// Another word in the place of the next one of letters.
    private mutating func replaceWord(_ bytes: inout [UInt8], from place: Int) {
        let isLetter = { (byte: UInt8) in (0x61...0x7A).contains(byte) || byte == 0x5F }
        guard let first = bytes[place...].firstIndex(where: isLetter) else { return }
        let end = bytes[first...].firstIndex { !isLetter($0) } ?? bytes.count
        bytes.replaceSubrange(first..<end, with: random.pick(words))
    }
}
