import Testing

@testable import MarketSimulator

@Suite struct FaultListTests {
    @Test(arguments: [
        ("", []),
        ("ok", [Fault.ok]),
        ("ok,reset hang\ndrip , truncate", [.ok, .reset, .hang, .drip(every: .milliseconds(500)), .truncate]),
        ("status:503 status:429:120", [.status(503), .status(429, retryAfter: 120)]),
        ("badjson html error200 nullprices huge", [.badJSON, .html, .error200, .nullPrices(), .huge(bytes: 1 << 30)]),
    ])
    func readsWords(text: String, faults: [Fault]) throws {
        #expect(try Fault.list(parsing: text) == faults)
    }

    @Test(arguments: [
        ("ok rest", "rest"), ("Hang", "Hang"), ("bad-json", "bad-json"), ("stauts:500", "stauts:500"), ("ok:1", "ok:1"),
        ("status", "status"), ("status:", "status:"), ("status:99", "status:99"), ("status:600", "status:600"),
        ("status:429:soon", "status:429:soon"), ("status:429:-1", "status:429:-1"),
        ("status:429:1:2", "status:429:1:2"),
    ])
    func namesTheBadWord(text: String, word: String) throws {
        let error = try #require(throws: FaultListError.self) { try Fault.list(parsing: text) }
        let beginning =
            "read the fault list: no fault is called `\(word)` (there are ok status:CODE[:RETRY_AFTER] reset "
        #expect("\(error)".hasPrefix(beginning))
    }
}
