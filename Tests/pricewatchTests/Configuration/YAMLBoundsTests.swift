import Testing

@testable import pricewatch

/// Files that are small and mean to be large.
@Suite struct YAMLBoundsTests {
    static func laughs(levels: Int, each: Int) -> String {
        var text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
        for level in 1..<levels {
            text +=
                "a\(level): &a\(level) [" + Array(repeating: "*a\(level - 1)", count: each).joined(separator: ", ")
                + "]\n"
        }
        return text
    }

    @Test func `a billion laughs end before they begin`() throws {
        let faults = try ConfigurationScene().faults(Self.laughs(levels: 10, each: 9))
        #expect(faults.count == 1)
        #expect(faults[0].contains("the aliases up to here stand for more than 1000000 values"), "\(faults)")
    }

    @Test func `a billion laughs as a key, too`() throws {
        let faults = try ConfigurationScene().faults(Self.laughs(levels: 10, each: 9) + "? *a9\n: x\n")
        #expect(faults.count == 1)
        #expect(faults[0].contains("the aliases up to here"), "\(faults)")
    }

    @Test func `a billion laughs under one name and beside comments, too`() throws {
        let text = "- &a [x]\n" + String(repeating: "- &a [ # *a\n   *a, *a]\n", count: 30) + "- {? *a : x}\n"
        let faults = try ConfigurationScene().faults(text)
        #expect(faults.count == 1)
        #expect(faults[0].contains("the aliases up to here"), "\(faults)")
    }

    @Test(arguments: ["[a]: x", "{}: x", "watch: {a: &a [x], *a : x}", "? {? {? [x] : x} : x}\n: x"])
    func `a list or a mapping as a key is refused before it is hashed`(text: String) throws {
        let faults = try ConfigurationScene().faults(text)
        #expect(faults.count == 1)
        #expect(faults[0].hasSuffix(": a key must be a text"), "\(faults)")
    }

    @Test func `a billion merged mappings, too`() throws {
        var text = "a0: &a0 {k: v}\n"
        for level in 1..<30 { text += "a\(level): &a\(level) {<<: [*a\(level - 1), *a\(level - 1)]}\n" }
        let faults = try ConfigurationScene().faults(text + "watch: {<<: *a29}\n")
        #expect(faults.count == 1)
        #expect(faults[0].contains("the aliases up to here"), "\(faults)")
    }

    @Test func `a quadratic blow-up ends, too`() throws {
        let text =
            "a: &a [" + Array(repeating: "x", count: 5000).joined(separator: ",") + "]\n" + "watch: {markets: ["
            + Array(repeating: "*a", count: 100).joined(separator: ",") + "]}\n"
        #expect(try ConfigurationScene().faults(text).count == 101)
    }

    @Test func `an alias within its own anchor is undefined`() throws {
        let faults = try ConfigurationScene().faults("watch: &w\n  markets: [*w]\n")
        #expect(faults == ["p.yaml:2:13: no valid YAML: found undefined alias"])
    }

    @Test(arguments: [100, 900, 100_000])
    func `depth is bounded`(depth: Int) throws {
        let faults = try ConfigurationScene().faults("watch: " + String(repeating: "[", count: depth))
        #expect(faults.count == 1)
        let closed = try ConfigurationScene().faults(
            "watch: " + String(repeating: "[", count: depth) + String(repeating: "]", count: depth))
        #expect(closed.count == 1)
    }

    @Test func `twenty thousand unknown keys are reported without delay`() throws {
        let text = (0..<20_000).map { "key\($0): 1\n" }.joined()
        #expect(try ConfigurationScene().faults(text).count == 20_000)
    }

    @Test func `ordinary aliases are far from the bounds`() throws {
        let rules = (0..<500).map { "  - {<<: *base, name: rule-\($0)}\n" }.joined()
        let text = "alerts:\n  - &base {name: base, market: bitcoin, above: 1, for: 2m, note: \"R&D, 2*3\"}\n" + rules
        #expect(try configuration(text).alerts.rules.count == 501)
    }
}
