import History

/// What the database does not know of messages, because it could not be written.
struct UnstoredMessages {
    private var contents: [String: OutgoingMessage.Contents] = [:]
    /// The rows that a message stands for, where they are not its own.
    private var rows: [String: [String]] = [:]
    /// Rows of messages that wait no longer.
    private var settled: [String] = []
    private var areStored = true

    /// Everything that waits is in the database.
    var isEmpty: Bool { areStored && contents.isEmpty }

    mutating func take(_ messages: [OutgoingMessage], areStored: Bool) {
        self.areStored = areStored
        if areStored {
            contents = contents.filter { rows[$0.key] != nil }
        } else {
            for message in messages { contents[message.queued.id] = message.contents }
        }
    }

    func contents(of message: String) -> OutgoingMessage.Contents? { contents[message] }

    mutating func keep(_ whole: OutgoingMessage.Contents, of message: String, inPlaceOf rows: [String]) {
        contents[message] = whole
        self.rows[message] = rows
    }

    /// The rows to be taken out now. Where the database still lacks some, they are taken out again once it has them.
    mutating func settle(_ message: String) -> [String] {
        contents[message] = nil
        let rows = rows.removeValue(forKey: message) ?? [message]
        if !areStored { settled += rows }
        return rows
    }

    mutating func keepSettled(_ rows: [String]) {
        if areStored { settled += rows }
    }

    mutating func takeSettled() -> [String] {
        defer { settled = [] }
        return settled
    }
}
