import Foundation

/// A path below the base URL. What is interpolated is one segment and is escaped as such:
/// in `"/coins/\(id)/market_chart"` an id with a slash stays one segment.
public struct RequestPath: Sendable, Hashable, ExpressibleByStringInterpolation {
    /// Begins with a slash and is percent-encoded.
    public let encoded: String

    public init(stringLiteral value: String) { encoded = value }

    /// - Parameter encoded: percent-encoded already.
    init(encoded: String) { self.encoded = encoded }

    public init(stringInterpolation: StringInterpolation) { encoded = stringInterpolation.text }

    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        public init(literalCapacity: Int, interpolationCount: Int) {}

        public mutating func appendLiteral(_ literal: String) { text += literal }

        public mutating func appendInterpolation(_ parameter: some CustomStringConvertible) {
            let segment = parameter.description
            // A segment of dots alone would climb out of the path.
            if !segment.isEmpty, segment.allSatisfy({ $0 == "." }) {
                text += String(repeating: "%2E", count: segment.count)
            } else {
                text += segment.addingPercentEncoding(withAllowedCharacters: Self.unreserved) ?? ""
            }
        }

        private static let unreserved = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
    }
}
