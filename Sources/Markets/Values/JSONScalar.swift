import Foundation

/// A value that is a text, a number or a truth value in JSON.
package protocol JSONScalar {
    associatedtype JSONForm: Markets.JSONForm
    /// Nil if `json` is none of these values.
    init?(json: JSONForm)
    func write(to json: inout JSONWriter)
}

/// What JSON has. Each is read by its own function: the decoder's generic one takes twice as long.
package protocol JSONForm {
    /// Nil if the member is absent, null or something else.
    static func read(_ members: JSONReader.Members, _ key: JSONKey) -> Self?
}

extension String: JSONForm {
    package static func read(_ members: JSONReader.Members, _ key: JSONKey) -> String? {
        try? members.decodeIfPresent(String.self, forKey: key)
    }
}

extension Int: JSONForm {
    package static func read(_ members: JSONReader.Members, _ key: JSONKey) -> Int? {
        try? members.decodeIfPresent(Int.self, forKey: key)
    }
}

extension Double: JSONForm {
    package static func read(_ members: JSONReader.Members, _ key: JSONKey) -> Double? {
        try? members.decodeIfPresent(Double.self, forKey: key)
    }
}

extension Bool: JSONForm {
    package static func read(_ members: JSONReader.Members, _ key: JSONKey) -> Bool? {
        try? members.decodeIfPresent(Bool.self, forKey: key)
    }
}

extension Optional: JSONScalar where Wrapped: JSONScalar {
    package init?(json: Wrapped.JSONForm) {
        guard let value = Wrapped(json: json) else { return nil }
        self = value
    }

    package func write(to json: inout JSONWriter) {
        if let self { self.write(to: &json) } else { json.null() }
    }
}

extension JSONScalar where Self: RawRepresentable, RawValue == String {
    package init?(json: String) { self.init(rawValue: json) }
    package func write(to json: inout JSONWriter) { json.string(rawValue) }
}

extension JSONScalar where Self: FixedWidthInteger {
    package init?(json: Int) { self.init(exactly: json) }
    package func write(to json: inout JSONWriter) { json.number(String(self)) }
}

extension Int: JSONScalar {}
extension Int32: JSONScalar {}
extension Int64: JSONScalar {}

extension Bool: JSONScalar {
    package init?(json: Bool) { self = json }
    package func write(to json: inout JSONWriter) { json.number(self ? "true" : "false") }
}

extension String: JSONScalar {
    package init?(json: String) { self = json }
    package func write(to json: inout JSONWriter) { json.string(self) }
}

/// Whole seconds, UTC.
extension Date: JSONScalar {
    package init?(json: String) { self.init(utcText: json) }
    package func write(to json: inout JSONWriter) { json.quote { appendUTCText(to: &$0) } }
}

/// A text of its exact digits.
extension Price: JSONScalar {
    package init?(json: String) { self.init(parsing: json) }
    package func write(to json: inout JSONWriter) { json.quote { appendDigits(to: &$0) } }
}

/// A text of its plain digits.
extension Decimal: JSONScalar {
    package init?(json: String) { self.init(wholeText: json) }
    package func write(to json: inout JSONWriter) { json.string(description) }
}

/// A number of at most two decimals.
extension Percent: JSONScalar {
    package init?(json: Double) {
        // A double keeps two decimals for any percentage of practical size.
        guard abs(json) <= 1e13 else { return nil }
        self.init(hundredths: Int64((json * 100).rounded()))
    }

    package func write(to json: inout JSONWriter) { json.number(description) }
}

extension MarketID: JSONScalar {
    package init?(json: String) { try? self.init(json) }
    package func write(to json: inout JSONWriter) { json.string(text) }
}

extension Currency: JSONScalar {
    package init?(json: String) { try? self.init(json) }
    package func write(to json: inout JSONWriter) { json.string(code) }
}

/// Seconds.
extension Duration: JSONScalar {
    package init?(json: Double) {
        guard (0...31_536_000).contains(json) else { return nil }
        self = .seconds(json)
    }

    package func write(to json: inout JSONWriter) { json.number(secondsLiteral) }

    /// `60`, `0.5`
    package var secondsLiteral: String {
        let (whole, rest) = inMilliseconds.quotientAndRemainder(dividingBy: 1000)
        return rest == 0 ? "\(whole)" : "\(Double(inMilliseconds) / 1000)"
    }
}
