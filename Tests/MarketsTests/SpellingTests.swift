import Testing

@testable import Markets

@Suite struct SpellingTests {
    @Test(arguments: [
        ("every", "every", 0), ("evry", "every", 1), ("eveyr", "every", 1), ("", "abc", 3), ("kitten", "sitting", 3),
    ])
    func `distance counts slips of the finger`(a: String, b: String, expected: Int) {
        #expect(Spelling.distance(a, b, limit: 10) == expected)
    }

    @Test func `what differs too much is not guessed`() {
        #expect(Spelling.closest(to: "banana", among: ["every", "timeout"]) == nil)
        #expect(Spelling.closest(to: "x", among: []) == nil)
    }
}
