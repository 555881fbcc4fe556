/// The byte ranges of the parts of a valid JSON text.
struct JSONSpans {
    /// The members of an object.
    private(set) var members: [String: Range<Int>] = [:]
    /// The items of a list.
    private(set) var items: [Range<Int>] = []

    init(of text: ArraySlice<UInt8>) {
        var depth = 0
        var isInText = false
        var isEscaped = false
        var name: String?
        var start: Int?
        var end = text.startIndex
        func close(_ spans: inout JSONSpans) {
            guard let first = start else { return }
            if let name { spans.members[name] = first..<end } else { spans.items.append(first..<end) }
            (start, name) = (nil, nil)
        }
        for (place, byte) in zip(text.indices, text) {
            let isBlank = !isInText && [0x20, 0x09, 0x0A, 0x0D].contains(byte)
            if isInText {
                switch byte {
                case _ where isEscaped: isEscaped = false
                case UInt8(ascii: "\\"): isEscaped = true
                case UInt8(ascii: "\""): isInText = false
                default: break
                }
            } else {
                switch byte {
                case UInt8(ascii: "\""): isInText = true
                case UInt8(ascii: "{"), UInt8(ascii: "["):
                    depth += 1
                    if depth == 1 { continue }
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    depth -= 1
                    if depth == 0 { close(&self) }
                case UInt8(ascii: ",") where depth == 1:
                    close(&self)
                    continue
                case UInt8(ascii: ":") where depth == 1:
                    name = start.map { String(decoding: text[$0..<end].dropFirst().dropLast(), as: UTF8.self) }
                    start = nil
                    continue
                default: break
                }
            }
            if isBlank { continue }
            if start == nil { start = place }
            end = place + 1
        }
    }
}
