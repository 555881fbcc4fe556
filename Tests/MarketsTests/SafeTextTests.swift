import Foundation
import Testing

@testable import Markets

@Suite struct SafeTextTests {
    @Test(
        "a text is cut between two scalars, within its bytes",
        arguments: [
            ("abcdef", 6, "abcdef"), ("abcdefg", 6, "abc…"), ("ééé", 6, "ééé"), ("éééé", 6, "é…"), ("éééé", 7, "éé…"),
            ("🪙🪙", 7, "🪙…"), ("🪙🪙", 6, "…"), ("", 3, ""), ("e\u{301}xxxxx", 6, "e\u{301}…"),
            ("e\u{301}xxxx", 5, "e…"),
        ])
    func cut(text: String, bytes: Int, expected: String) {
        #expect(Array(text.cut(toBytes: bytes).utf8) == Array(expected.utf8))
    }

    @Test(
        "bytes are found whatever marks stand beside them",
        arguments: [
            ("a|b", "|", false, "a/b"), ("a|\u{301}b", "|", false, "a/\u{301}b"), ("aab", "ab", false, "a/"),
            ("ababa", "aba", false, "/ba"), ("xAbAx", "aba", true, "x/x"), ("É", "é", true, "É"),
            ("abc", "", true, "abc"),
            ("ab", "abc", true, "ab"), ("||", "|", false, "//"), ("\r\n", "\n", false, "\r/"),
        ])
    func bytes(text: String, part: String, ignoringCase: Bool, expected: String) {
        let replaced = text.replacingBytes(of: [part], with: "/", ignoringCase: ignoringCase)
        #expect(Array(replaced.utf8) == Array(expected.utf8))
    }

    @Test(
        "what a terminal would act on stands in digits",
        arguments: [
            ("plain é 名 🪙", "plain é 名 🪙"), ("\u{1B}[2J", "\\u001b[2J"), ("a\u{202E}b", "a\\u202eb"),
            ("\u{FFFE}\u{1FFFF}", "\\ufffe\\ud83f\\udfff"), ("👨‍👩‍👧", "👨‍👩‍👧"),
            ("\r\n\u{85}\u{2028}", "\\u000d\\u000a\\u0085\\u2028"),
        ])
    func printable(text: String, expected: String) { #expect(SafeText.printable(text) == expected) }

    @Test("a text is shortened by scalars: a row of marks is not one of them")
    func shortened() {
        #expect(SafeText.printable("abcdef", atMost: 6) == "abcdef")
        #expect(SafeText.printable("abcdefg", atMost: 6) == "abcde…")
        let endless = "a" + String(repeating: "\u{301}", count: 100_000)
        #expect(SafeText.printable(endless, atMost: 40).unicodeScalars.count == 40)
    }

    @Test(
        "a line has one blank for each run of whitespace, and none at the ends",
        arguments: [
            (" a \t\r\n b\u{2028}c ", "a b c"), ("a\u{1B}[2J b", "a\\u001b[2J b"), ("", ""), (" \n", ""),
        ])
    func line(text: String, expected: String) { #expect(SafeText.line(text) == expected) }

    @Test("the beginning of a body is quoted on one line, and says where it was cut")
    func quoted() {
        #expect(SafeText.quoted(Array("[\n  1,\u{0} 2]".utf8)) == #""[ 1,\u0000 2]""#)
        #expect(SafeText.quoted(Array("abcdef".utf8), bytes: 6) == #""abcdef""#)
        #expect(SafeText.quoted(Array("abcdefg".utf8), bytes: 6) == #""abcdef…""#)
        #expect(SafeText.quoted(Array("\u{1B}\u{1B}\u{1B}".utf8), bytes: 2) == #""\u001b\u001b…""#)
        #expect(SafeText.line(String(repeating: "ab ", count: 100), atMost: 5) == "ab a…")
    }

    @Test(
        "JSON strings",
        arguments: [
            ("a\"b\\c\nd\u{1}é", #""a\"b\\c\nd\u0001é""#), ("\t\r/", #""\t\r/""#),
            ("\"\u{301}\\\u{20E3}", "\"\\\"\u{301}\\\\\u{20E3}\""),
            ("", #""""#),
        ])
    func json(text: String, expected: String) { #expect(Array(JSONString.quoted(text).utf8) == Array(expected.utf8)) }

    @Test(
        "an id has at most 200 bytes",
        arguments: [
            ("x", 200, true), ("x", 201, false), ("é", 100, true), ("é", 101, false), ("\u{301}", 150_000, false),
        ])
    func ids(letter: String, count: Int, isOne: Bool) {
        #expect(((try? MarketID(String(repeating: letter, count: count))) != nil) == isOne)
    }

    @Test("a blank that carries a mark is a blank", arguments: [" \u{301}a", "a ", "\u{A0}a"])
    func blanks(text: String) { #expect(throws: InvalidName.self) { try MarketID(text) } }
}
