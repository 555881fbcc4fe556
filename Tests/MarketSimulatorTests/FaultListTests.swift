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
        ("ok rest", "no fault is called `rest` (did you mean `reset`?)"),
        ("Hang", "no fault is called `Hang` (did you mean `hang`?)"),
        ("bad-json", "no fault is called `bad-json` (did you mean `badjson`?)"),
        ("stauts:500", "no fault is called `stauts:500` (did you mean `status`?)"),
        ("ok:1", "no fault is called `ok:1` (did you mean `ok`?)"),
        ("earthquake", "no fault is called `earthquake` (there are ok status:CODE[:RETRY_AFTER] reset "),
        ("status", "`status` has no HTTP status (write it as status:503, with 200 to 599)"),
        ("status:", "`status:` has no HTTP status"), ("status:99", "`status:99` has no HTTP status"),
        ("status:600", "`status:600` has no HTTP status"),
        ("status:429:soon", "`status:429:soon` has no Retry-After (write whole seconds, as in status:429:120)"),
        ("status:429:-1", "`status:429:-1` has no Retry-After"),
        ("status:429:1:2", "`status:429:1:2` has no Retry-After"),
    ])
    func namesTheBadWord(text: String, reason: String) throws {
        let error = try #require(throws: FaultListError.self) { try Fault.list(parsing: text) }
        #expect("\(error)".hasPrefix("read the fault list: " + reason))
    }
}
