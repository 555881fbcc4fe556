import Testing

@testable import pricewatch

@Suite struct NotYetBuiltTests {
    static let examples: [(key: String, text: String)] = [
        ("notify.*", "notify: {phone: {ntfy: \"https://ntfy.sh/t\", quiet: \"23:00-07:00\"}}"),
        ("digest.notify", "notify: {}\ndigest: {notify: [phone]}"),
        ("heartbeat", "heartbeat: {url: \"https://example.org/h\", every: 5m}"),
    ]

    @Test func `every entry has an example here, and only entries have`() {
        #expect(Set(Self.examples.map(\.key)) == Set(NotYetBuilt.entries.map(\.key)))
    }

    @Test(arguments: examples)
    func `what is not built is refused where silence would betray, else warned of`(key: String, text: String) throws {
        let entry = try #require(NotYetBuilt.entry(key))
        let faults = try ConfigurationScene().faults(text)
        switch entry.weight {
        case .fault:
            let others = key == "digest.notify" ? 1 : 0  // the channel cannot exist yet, either
            #expect(faults.count == 1 + others, "\(faults)")
            #expect(
                faults.contains { $0.contains("this release does not act on it yet: \(entry.meaning); leave it out") })
        case .warning:
            #expect(faults == [])
            let warnings = try ConfigurationScene().reading(text).warnings
            #expect(warnings.map(\.message) == ["this release does not act on it yet: \(entry.meaning)"])
        }
    }

    @Test func `the place is told as for any other fault`() throws {
        let faults = try ConfigurationScene().faults("notify:\n  a:\n    ntfy: \"https://ntfy.sh/t\"\n")
        #expect(
            faults == [
                "p.yaml:2:3: notify.a: this release does not act on it yet: no message would be sent; leave it out"
            ])
    }

    @Test(arguments: [
        "builtin_alerts: false", "heartbeat: null",
        "notify: {}",
        "digest: {at: 8:00, notify: []}", "alerts: [{name: a, market: a, above: 1, once: false, repeat: null}]",
    ])
    func `asking for nothing is fine`(text: String) throws {
        #expect(try ConfigurationScene().reading(text).warnings.isEmpty)
    }
}
