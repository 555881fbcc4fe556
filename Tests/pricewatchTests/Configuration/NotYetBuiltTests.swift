import Testing

@testable import pricewatch

@Suite struct NotYetBuiltTests {
    static let examples: [(key: String, text: String)] = [
        ("history.backfill", "history: {backfill: 24h}")
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
            #expect(faults.count == 1, "\(faults)")
            #expect(
                faults.contains { $0.contains("this release does not act on it yet: \(entry.meaning); leave it out") })
        case .warning:
            #expect(faults == [])
            let warnings = try ConfigurationScene().reading(text).warnings
            #expect(warnings.map(\.message) == ["this release does not act on it yet: \(entry.meaning)"])
        }
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
