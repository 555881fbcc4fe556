import Foundation

/// Why a body could not be read as what was asked for.
public struct UnreadableBody: Error, Hashable, Sendable {
    /// Completes "the answer …", such as `is not valid JSON (it begins with "[{\"id\":")`.
    public let reason: String
    /// True where asking again may help: a body that is cut off or garbled, as opposed to a changed format.
    public let isRetryable: Bool

    public init(reason: String, isRetryable: Bool) {
        self.reason = reason
        self.isRetryable = isRetryable
    }

    /// Runs `read`, and says what is wrong with the body where it throws.
    static func reading<Value>(_ body: Data, with read: (Data) throws -> Value) throws(UnreadableBody) -> Value {
        do {
            return try read(body)
        } catch let unreadable as UnreadableBody {
            throw unreadable
        } catch {
            throw UnreadableBody(body, error)
        }
    }

    /// A body that is not even JSON.
    init(invalid body: Data) {
        guard !body.isEmpty else {
            self.init(reason: "is empty", isRetryable: true)
            return
        }
        let beginning = OutsideText.quoted(body)
        self.init(reason: "is not valid JSON or is cut off (it begins with \(beginning))", isRetryable: true)
    }

    /// A body that is JSON and has at `place`, such as `/3/price`, not what is expected there.
    init(misshapen body: Data, at place: String) {
        let beginning = OutsideText.quoted(body)
        self.init(
            reason: "does not have the expected form at \(place) (it begins with \(beginning))", isRetryable: false)
    }

    private init(_ body: Data, _ error: any Error) {
        if (try? JSONDocument(body)) == nil {
            self.init(invalid: body)
        } else {
            self.init(misshapen: body, at: (error as? DecodingError)?.placeText ?? "/")
        }
    }
}

extension DecodingError {
    /// `/3/price`: where in the document it went wrong.
    fileprivate var placeText: String {
        let path: [any CodingKey]
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            path = context.codingPath
        case .keyNotFound(let key, let context): path = context.codingPath + [key]
        @unknown default: path = []
        }
        let names = path.map { $0.intValue.map { "\($0)" } ?? OutsideText.escaped($0.stringValue, limit: 40) }
        return "/" + names.joined(separator: "/")
    }
}
