/// Header fields in the order they came; names are compared without regard to case.
public struct HTTPFields: Sendable, ExpressibleByDictionaryLiteral {
    public var all: [(name: String, value: String)]

    public init(_ all: [(name: String, value: String)] = []) { self.all = all }

    public init(dictionaryLiteral elements: (String, String)...) {
        all = elements.map { (name: $0.0, value: $0.1) }
    }

    /// The first field of that name.
    public subscript(name: String) -> String? {
        let wanted = name.lowercased()
        return all.first { $0.name.lowercased() == wanted }?.value
    }

    public mutating func append(_ name: String, _ value: String) { all.append((name, value)) }
}
