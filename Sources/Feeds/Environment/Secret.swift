/// A key or token. It never prints; only `revealed` gives it away, where a request is put together.
public struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public let revealed: String

    public init(_ text: String) { revealed = text }

    public var description: String { "(secret)" }
    public var debugDescription: String { "(secret)" }
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// `text` without this secret, should a server have echoed it.
    func removed(from text: String) -> String {
        guard revealed.utf8.count >= 4 else { return text }
        return text.replacing(revealed, with: "(secret)")
    }
}
