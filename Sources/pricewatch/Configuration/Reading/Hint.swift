import Markets

/// What was probably meant by a key or a value that cannot be used; each hint is empty where none is known.
enum Hint {
    /// Keys for the words of Prometheus, and the places of keys that are often written at the top.
    private static let others = [
        "interval": "poll.every",
        "scrape_interval": "poll.every",
        "repeat_interval": "alerts[].repeat",
        "receiver": "notify",
        "retention": "history.keep_samples",
        "every": "poll.every",
        "timeout": "poll.timeout",
        "markets": "watch.markets",
        "top": "watch.top",
        "database": "history.database",
        "backfill": "history.backfill",
        "log_file": "log.file",
        "provider": "feeds[].provider",
        "key": "feeds[].key",
        "mail": "notify.NAME.exec",
        "email": "notify.NAME.exec",
        "smtp": "notify.NAME.exec",
    ]

    /// The full path of the key that was probably meant by `word` in the section at `path`, which has the `known` keys.
    static func key(_ word: String, in path: String, known: [String]) -> String {
        func inSection(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }
        let last = others[word]?.split(separator: ".").last.map(String.init)
        let own = last.map { known.contains($0) ? $0 : nil } ?? Spelling.closest(to: word, among: known)
        return (own.map(inSection) ?? others[word]).map { "; did you mean \($0)?" } ?? ""
    }

    /// A text where a list is expected: `: write [chat]`.
    static func list(around value: YAMLValue) -> String {
        guard let text = value.text, !value.isNull else { return "" }
        let isPlain = text.wholeMatch(of: /[\w@.\/+-][\w@.\/+, -]*/) != nil
        return ": write [\(isPlain ? SafeText.printable(text, atMost: 60) : text.quoted)]"
    }

    /// A program that is not in a list: `: write [/usr/local/bin/on-alert]`. Arguments are not repeated: they may hold a
    /// key.
    static func command(_ value: YAMLValue) -> String {
        guard let text = value.text, !value.isNull else { return "" }
        return text.contains(/\s/) ? ": write [PROGRAM, ARGUMENT, …]" : list(around: value)
    }

    /// A number with a comma: `: a number with a comma; write 60000`.
    static func number(_ value: YAMLValue) -> String {
        guard let text = value.text, value.origin == nil, let number = withoutComma(text) else { return "" }
        return ": a number with a comma; write \(number)"
    }

    /// `{below: 60,000}` is `below: 60` and a key `000` without a value.
    static func number(endingIn pair: YAMLPair, after before: YAMLPair?) -> String? {
        guard let before, pair.value.isNull, let start = before.value.text, before.value.origin == nil,
            let number = withoutComma(start + "," + pair.key)
        else { return nil }
        return ": \(before.key.printable): \(start),\(pair.key) is a number with a comma; write \(number)"
    }

    /// `60.000`, which is 60, and 60000 to whoever separates thousands with points: `60.000 is 60; if 60000 is meant,
    /// write 60000`. Nil for other numbers, and for usual ones such as 0.990, 1.010 and 12.345.
    static func thousands(_ text: String, read value: String) -> String? {
        guard text.wholeMatch(of: /1\.000|(?:[2-9]|[1-9]\d\d?)\.\d\d0/) != nil else { return nil }
        let meant = text.replacing(".", with: "")
        return "\(text) is \(value); if \(meant) is meant, write \(meant)"
    }

    /// The number that a text with commas stands for: `60,000` and `60.000,5` as 60000 and 60000.5, `0,99` as 0.99; nil
    /// if it is no such text. Of several kinds of separators the last one begins the decimals.
    private static func withoutComma(_ text: String) -> String? {
        guard let match = text.wholeMatch(of: /([+-]?\d+(?:[.,]\d+)+)( ?%)?/), text.contains(",") else { return nil }
        let digits = match.1
        let unit = match.2 ?? ""
        let last = digits.lastIndex { ".,".contains($0) } ?? digits.endIndex
        let isAlone = digits.count { ".,".contains($0) } == 1
        let kinds = Set(digits.filter { ".,".contains($0) })
        let after = digits[last...].dropFirst()
        // Three digits behind the only comma are thousands, except behind a zero.
        let groups = kinds.count == 1 && (!isAlone || after.count == 3 && digits.first != "0")
        let whole = digits[..<last].filter { !".,".contains($0) }
        if whole.count > 1, whole.first == "0" { return nil }
        return whole + (groups ? "" : ".") + after + unit
    }
}
