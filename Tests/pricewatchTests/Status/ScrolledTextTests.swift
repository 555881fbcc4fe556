import Testing

@testable import Views

@Suite struct WrappingTests {
    @Test(
        "a long line is broken at a blank in a row's second half, else at the edge",
        arguments: [
            ("short", ["short"]), ("", [""]), ("0123456789", ["0123456789"]), ("0123456789a", ["0123456789", "a"]),
            ("the market is stale now", ["the market", "is stale", "now"]),
            ("a bcdefghijklm", ["a bcdefghi", "jklm"]), ("0123456789 abc", ["0123456789", "abc"]),
        ])
    func lines(line: String, rows: [String]) { #expect(Paragraph.wrapped(line, width: 10) == rows) }

    @Test(
        "a wide character takes two columns and is not split; marks stay with their letter",
        arguments: [
            ("ビットコイン", 4, ["ビッ", "トコ", "イン"]), ("ビットコイン", 5, ["ビッ", "トコ", "イン"]),
            ("ab🪙cd", 3, ["ab", "🪙c", "d"]), ("ビ", 1, ["ビ"]),
            ("e\u{301}e\u{301}e\u{301}", 2, ["e\u{301}e\u{301}", "e\u{301}"]),
            ("a\u{301}\u{316}\u{301}bc", 1, ["a\u{301}\u{316}\u{301}", "b", "c"]),
            ("\u{301}abc", 2, ["\u{301}ab", "c"]), ("👩\u{200D}💻xy", 4, ["👩\u{200D}💻", "xy"]),
        ])
    func wide(line: String, width: Int, rows: [String]) {
        let wrapped = Paragraph.wrapped(line, width: width)
        #expect(wrapped.map { Array($0.unicodeScalars) } == rows.map { Array($0.unicodeScalars) })
        #expect(wrapped.dropFirst().allSatisfy { Table.width($0) <= max(width, 2) })
    }

    @Test("each row has its colours, and they end with it")
    func colours() {
        var terminal = Terminal()
        terminal.colours = true
        let line = "feed: " + terminal.paint("failing for a while", .red) + ", asked again"
        #expect(
            Paragraph.wrapped(line, width: 15) == [
                "feed: \u{1B}[31mfailing\u{1B}[0m", "\u{1B}[31mfor a while\u{1B}[0m,", "asked again",
            ])
        #expect(Paragraph.wrapped(terminal.paint("0123456789", .red), width: 10).count == 1, "colours have no width")
        // A mark behind a colour's end is none of its letters.
        #expect(Paragraph.wrapped("\u{1B}[31mab\u{1B}[0m\u{301}cdefgh", width: 4).count == 2)
    }

    @Test("endless marks cost no more than other bytes", .timeLimit(.minutes(1)))
    func cost() {
        let line = String(repeating: "a\u{301}\u{316}", count: 20_000) + String(repeating: "\u{301}", count: 50_000)
        #expect(Paragraph.wrapped(line, width: 80).count == 250)
    }
}

@Suite struct ScrolledTextTests {
    private let terminal = Terminal(width: 80, height: 6)
    private let lines = (1...20).map { "line \($0)" }

    private func frame(after moves: [ScrolledText.Move], _ count: Int = 20) -> [String] {
        var text = ScrolledText()
        _ = text.frame(lines, on: terminal)
        for move in moves { text.move(move) }
        return text.frame(Array(lines.prefix(count)), on: terminal)
    }

    @Test(
        "keys move it, and not beyond the text",
        arguments: [
            ([], 1), ([.up], 1), ([.down], 2), ([.down, .down, .up], 2), ([.pageDown], 5), ([.pageDown, .pageUp], 1),
            ([.end], 16), ([.end, .down], 16), ([.end, .pageDown], 16), ([.end, .up], 15), ([.end, .home], 1),
            (Array(repeating: .pageDown, count: 99), 16),
        ] as [([ScrolledText.Move], Int)])
    func moves(moves: [ScrolledText.Move], first: Int) {
        let rows = frame(after: moves)
        #expect(rows.prefix(5) == (first..<first + 5).map { "line \($0)" }[...])
        #expect(rows.last == "q to quit, arrows and page keys to scroll, rows \(first) to \(first + 4) of 20")
        #expect(rows.count == 6)
    }

    @Test("a text that became shorter is shown to its end; one that fits has no keys to scroll")
    func shorter() {
        #expect(
            frame(after: [.end], 7) == ["line 3", "line 4", "line 5", "line 6", "line 7"]
                + ["q to quit, arrows and page keys to scroll, rows 3 to 7 of 7"])
        #expect(frame(after: [.end], 2) == ["line 1", "line 2", "", "", "", "q to quit"])
    }

    @Test(
        "a narrow or low terminal has fewer words, none has more rows than it has",
        arguments: [
            (40, 6, "q to quit, rows 1 to 5 of 20"), (12, 6, "q to quit"), (5, 6, "q"), (80, 2, "line 2"),
            (80, 1, "line 1"), (80, 3, "q to quit, arrows and page keys to scroll, rows 1 to 2 of 20"),
        ])
    func small(width: Int, height: Int, last: String) {
        var text = ScrolledText()
        let terminal = Terminal(width: width, height: height)
        let rows = text.frame(width == 5 ? ["a", "b"] : lines, on: terminal)
        #expect(rows.last == last && rows.count == height)
    }

    @Test("what stands below takes at most half of the rows, and does not scroll")
    func foot() {
        var text = ScrolledText()
        let foot = (1...9).map { "news \($0)" }
        _ = text.frame(lines, above: foot, on: terminal)
        text.move(.end)
        let rows = text.frame(lines, above: foot, on: terminal)
        #expect(rows.prefix(5) == ["line 19", "line 20", "news 1", "news 2", "news 3"])
    }
}

@Suite struct KeyboardTests {
    @Test(
        "keys as terminals send them",
        arguments: [
            ("q", [.quit]), ("kj", [.move(.up), .move(.down)]), ("\u{1B}[A\u{1B}OB", [.move(.up), .move(.down)]),
            ("\u{1B}[5~\u{1B}[6~ ", [.move(.pageUp), .move(.pageDown), .move(.pageDown)]),
            ("\u{1B}[H\u{1B}[4~\u{1B}OF", [.move(.home), .move(.end), .move(.end)]),
            ("x\u{1B}[Cé\u{1B}q", [.quit]), ("\u{1B}", []), ("\u{1B}\u{1B}[A", [.move(.up)]),
        ] as [(String, [Keyboard.Key])])
    func keys(text: String, keys: [Keyboard.Key]) {
        var whole = Keyboard()
        #expect(whole.keys(in: text.utf8) == keys)
        var pieces = Keyboard()
        #expect(text.utf8.flatMap { pieces.keys(in: [$0]) } == keys)
    }
}
