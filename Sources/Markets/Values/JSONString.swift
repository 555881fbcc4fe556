/// Texts as JSON strings. Beside what JSON demands, everything that a terminal would act on is escaped.
public enum JSONString {
    public static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = []
        append(text, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends `quoted`: a status file holds thousands.
    public static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
        {
            bytes.append(contentsOf: text.utf8)
        } else {
            bytes.append(contentsOf: text.replacingScalars(escape).utf8)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "\"": "\\\""
        case "\\": "\\\\"
        case "\n": "\\n"
        case "\t": "\\t"
        case "\r": "\\r"
        default: scalar.isUnprintable ? SafeText.escape(scalar) : nil
        }
    }
}
