import Foundation
import Markets

/// Why a body could not be decoded.
package struct UnreadableBody: Error, Hashable, Sendable {
    /// Completes "the answer …", such as `is not valid JSON (it begins with "[{\"id\":")`.
    package let reason: String
    /// True if a retry may help: a truncated or garbled body, as opposed to a changed format.
    package let isRetryable: Bool

    package init(reason: String, isRetryable: Bool) {
        self.reason = reason
        self.isRetryable = isRetryable
    }

    /// Runs `read`, and describes the fault in the body if it throws.
    static func reading<Value>(_ body: Data, with read: (Data) throws -> Value) throws(UnreadableBody) -> Value {
        do {
            return try read(body)
        } catch let unreadable as UnreadableBody {
            throw unreadable
        } catch {
            throw UnreadableBody(body, error)
        }
    }

    /// A body that is not JSON.
    init(invalid body: Data) {
        guard !body.isEmpty else {
            self.init(reason: "is empty", isRetryable: true)
            return
        }
        let beginning = SafeText.quoted(body)
        self.init(reason: "is not valid JSON or is cut off (it begins with \(beginning))", isRetryable: true)
    }

    /// A JSON body without the expected value at `place`, such as `/3/price`.
    init(misshapen body: Data, at place: String) {
        let beginning = SafeText.quoted(body)
        self.init(
            reason: "does not have the expected form at \(place) (it begins with \(beginning))", isRetryable: false)
    }

    private init(_ body: Data, _ error: any Error) {
        if (try? JSONScanner.tokens(of: body.span)) == nil {
            self.init(invalid: body)
        } else {
            self.init(misshapen: body, at: (error as? DecodingError)?.placeText ?? "/")
        }
    }
}

extension DecodingError {
    /// The place of the error in the document: `/3/price`.
    fileprivate var placeText: String {
        let path: [any CodingKey]
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            path = context.codingPath
        case .keyNotFound(let key, let context): path = context.codingPath + [key]
        @unknown default: path = []
        }
        let names = path.map { $0.intValue.map { "\($0)" } ?? SafeText.line($0.stringValue, atMost: 40) }
        return "/" + names.joined(separator: "/")
    }
}
