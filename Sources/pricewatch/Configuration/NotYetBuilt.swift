/// The keys and words of the contract that this release reads and checks, but does not act on. A line goes when its
/// feature comes.
///
/// To leave a key out, or to set it to null, false or an empty list, asks for nothing and is fine.
enum NotYetBuilt {
    enum Weight: Sendable {
        /// Ignoring it would betray its owner: an alert that never fires, a message that is never sent.
        case fault
        /// Nothing is lost that would be missed.
        case warning
    }

    /// `[]` stands for any place in a list, `*` for any name, `=word` for one value of the key.
    static let entries: [(key: String, weight: Weight, meaning: String)] = [
        ("notify.*", .fault, "no message would be sent"),
        ("digest.notify", .fault, "no message would be sent"),
        ("heartbeat", .fault, "no sign of life would be sent"),
    ]

    static func entry(_ key: String) -> (key: String, weight: Weight, meaning: String)? {
        entries.first { $0.key == key }
    }
}
