internal import Markets

extension Fault {
    /// The words of a fault list, as a usage text shows them.
    public static let words = [
        "ok", "status:CODE[:RETRY_AFTER]", "reset", "hang", "drip", "truncate", "badjson", "html", "error200",
        "nullprices", "huge",
    ]

    private static let plain: [String: Fault] = [
        "ok": .ok, "reset": .reset, "hang": .hang, "drip": .drip(), "truncate": .truncate, "badjson": .badJSON,
        "html": .html, "error200": .error200, "nullprices": .nullPrices(), "huge": .huge(),
    ]

    /// Reads words separated by commas, blanks or both, such as `ok status:429:120, reset`.
    public static func list(parsing text: String) throws(FaultListError) -> [Fault] {
        var faults: [Fault] = []
        for word in text.split(whereSeparator: { $0 == "," || $0.isWhitespace }) {
            faults.append(try Fault(parsing: String(word)))
        }
        return faults
    }

    /// Reads one word of a fault list.
    public init(parsing word: String) throws(FaultListError) {
        if let fault = Self.plain[word] {
            self = fault
            return
        }
        let parts = word.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts[0] == "status" else {
            let known = Self.plain.keys + ["status"]
            throw .unknownWord(word, nearest: Spelling.closest(to: parts[0], among: known.sorted()))
        }
        guard parts.count > 1, let status = Int(parts[1]), (200...599).contains(status) else {
            throw .badStatus(word)
        }
        guard parts.count > 2 else {
            self = .status(status)
            return
        }
        guard parts.count == 3, let seconds = Int(parts[2]), seconds >= 0 else { throw .badRetryAfter(word) }
        self = .status(status, retryAfter: seconds)
    }
}

/// Why a text is no list of faults.
public enum FaultListError: Error, Hashable, CustomStringConvertible {
    case unknownWord(String, nearest: String?)
    /// `status:` without a number from 200 to 599.
    case badStatus(String)
    /// `status:CODE:` with something else than whole seconds.
    case badRetryAfter(String)

    public var description: String {
        switch self {
        case .unknownWord(let word, .some(let nearest)):
            "read the fault list: no fault is called `\(word)` (did you mean `\(nearest)`?)"
        case .unknownWord(let word, nil):
            "read the fault list: no fault is called `\(word)` (there are \(Fault.words.joined(separator: " ")))"
        case .badStatus(let word):
            "read the fault list: `\(word)` names no HTTP status (write it as status:503, with 200 to 599)"
        case .badRetryAfter(let word):
            "read the fault list: `\(word)` names no waiting time (write whole seconds, as in status:429:120)"
        }
    }
}
