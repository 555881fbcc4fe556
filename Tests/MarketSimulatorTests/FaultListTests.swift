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
        ("ok rest", FaultListError.unknownWord("rest", nearest: "reset")),
        ("Hang", .unknownWord("Hang", nearest: "hang")),
        ("bad-json", .unknownWord("bad-json", nearest: "badjson")),
        ("stauts:500", .unknownWord("stauts:500", nearest: "status")),
        ("earthquake", .unknownWord("earthquake", nearest: nil)),
        ("ok:1", .unknownWord("ok:1", nearest: "ok")),
        ("status", .badStatus("status")),
        ("status:", .badStatus("status:")),
        ("status:99", .badStatus("status:99")),
        ("status:600", .badStatus("status:600")),
        ("status:429:soon", .badRetryAfter("status:429:soon")),
        ("status:429:-1", .badRetryAfter("status:429:-1")),
        ("status:429:1:2", .badRetryAfter("status:429:1:2")),
    ])
    func namesTheBadWord(text: String, error: FaultListError) {
        #expect(throws: error) { try Fault.list(parsing: text) }
    }

    @Test func saysWhatWasMeant() {
        let near = FaultListError.unknownWord("rest", nearest: "reset")
        #expect("\(near)" == "read the fault list: no fault is called `rest` (did you mean `reset`?)")
        let far = FaultListError.unknownWord("earthquake", nearest: nil)
        #expect("\(far)".contains("status:CODE[:RETRY_AFTER]"))
    }
}
