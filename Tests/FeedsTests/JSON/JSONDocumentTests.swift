import Foundation
import Markets
import Testing

@testable import Feeds

@Suite("JSON documents")
struct JSONDocumentTests {
    func root(_ text: String) throws -> JSONValue { try JSONDocument(Data(text.utf8)).root }

    @Test(arguments: [
        "{}", "[]", " \t\r\n[ ] ", "null", "true", "false", "0", "-0", "-1.5e+300", "1E05", #""""#, #"{"":0}"#,
        #"{"a":[{"b":[]},2,{}],"c":null}"#, "[1 , 2]", #""\"\\\/\b\f\n\r\t\u00e9""#, "\u{FEFF}{}", "[\"\u{7F}é😀\"]",
    ])
    func valid(_ text: String) throws { _ = try root(text) }

    @Test(arguments: [
        "", " ", "{", "[", "[1", "[1,", "[,1]", "[1,]", #"{"a":1,}"#, #"{"a"}"#, #"{"a":}"#, #"{a:1}"#, "{1:1}", "[}",
        "{]", "[1}", "[1]]", "1 2", "[] x", "[]\u{0}", "nul", "nulL", "True", "NaN", "Infinity", "-", "--1", "+1", ".5",
        "1.", "1.e5", "1e", "1e+", "01", "-01", "0x1", "1_0", #"""#, #""a"#, #""\"#, #""\x""#, #""\u12""#, #""\u12g4""#,
        "\"a\nb\"", "\"a\u{0}b\"", "'a'", "[1 2]", #"{"a" 1}"#, #"{"a":1 "b":2}"#, "// x\n1", "\u{C}1", "[\u{A0}1]",
    ])
    func invalid(_ text: String) { #expect(throws: UnreadableBody.self) { try root(text) } }

    @Test func asDeepAsJSONDecoder() throws {
        for (depth, isFit) in [(512, true), (513, false)] {
            let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            #expect(((try? root(text)) != nil) == isFit)
            let objects = String(repeating: #"{"a":"#, count: depth) + "1" + String(repeating: "}", count: depth)
            #expect(((try? root(objects)) != nil) == isFit)
        }
        #expect(throws: UnreadableBody.self) { try root(String(repeating: "[", count: 2_000_000)) }
    }

    @Test func members() throws {
        let object = try root(#"{"a":[1,{"x":2},3],"b":{"c":{"d":"e"}},"a":"again","\u0066\n":true}"#)
        #expect(object["a"]?[0]?.digits == "1")
        #expect(object["a"]?[1]?["x"]?.digits == "2")
        #expect(object["a"]?[2]?.digits == "3" && object["a"]?[3] == nil && object["a"]?[-1] == nil)
        #expect(object["b"]?["c"]?["d"]?.text == "e")
        #expect(object["f\n"]?.kind == .true)
        #expect(object["c"] == nil && object["b"]?["d"] == nil && object["a"]?["x"] == nil && object[0] == nil)
        #expect(object.members?.compactMap(\.name) == ["a", "b", "a", "f\n"])
        #expect(object.items == nil && object["a"]?.members == nil)
    }

    @Test(
        arguments: [
            (#""plain""#, "plain"), (#""é😀""#, "é😀"), (#""\u00e9\ud83d\ude00\/\\\"""#, "é😀/\\\""),
            (#""\b\f\n\r\t""#, "\u{8}\u{C}\n\r\t"),
            (#""\u0000""#, "\u{0}"), (#""\ud800""#, nil), (#""\udc00x""#, nil), (#""\ud800\ud800""#, nil),
            (#""\ud800\n""#, nil), (#""\ud83dx""#, nil), ("1", nil), ("null", nil), ("[]", nil),
        ] as [(String, String?)])
    func texts(_ text: String, _ expected: String?) throws { #expect(try root(text).text == expected) }

    /// The bytes are no Unicode: an error of this text alone.
    @Test(arguments: [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xC3]] as [[UInt8]])
    func strayBytes(_ bytes: [UInt8]) throws {
        let body = Data(#"{"a":"x"#.utf8) + Data(bytes) + Data(#"","b":"y"}"#.utf8)
        let object = try JSONDocument(body).root
        #expect(object["a"] != nil && object["a"]?.text == nil)
        #expect(object["b"]?.text == "y")
    }

    @Test(
        arguments: [
            ("2026-11-21T10:00:00.123Z", "2026-11-21T10:00:00.123Z"),
            (#"2026-11-21T10\u003a00:00Z"#, "2026-11-21T10:00:00.000Z"),
            ("yesterday", nil),
        ] as [(String, String?)])
    func times(_ text: String, _ expected: String?) throws {
        #expect(try root("\"\(text)\"").time?.utcTextWithMilliseconds == expected)
    }

    @Test func aSliceOfDataIsReadFromItsOwnBeginning() throws {
        let body = Data(#"xx{"a":"b","n":7.50}"#.utf8).dropFirst(2)
        let object = try JSONDocument(body).root
        #expect(object["a"]?.text == "b" && object["n"]?.digits == "7.50")
    }
}
