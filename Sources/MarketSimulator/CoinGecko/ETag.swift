enum ETag {
    /// `W/"…"`, the same for the same text.
    static func weak(of text: String) -> String {
        let hash = FNV1a.hash(text)
        let digits = String(hash, radix: 16) + String(SplitMix64.mixed(hash), radix: 16)
        return "W/\"\(digits)\""
    }

    /// Whether an `If-None-Match` names this tag; weak and strong forms match each other.
    static func matches(_ condition: String, _ tag: String) -> Bool {
        condition.split(separator: ",").contains { candidate in
            let given = candidate.trimmingPrefix { $0 == " " }
            return given == "*" || given.trimmingPrefix("W/") == tag.trimmingPrefix("W/")
        }
    }
}
