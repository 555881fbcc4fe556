import Foundation
import Markets
import Testing

@testable import Feeds

@Suite("JSON Pointers")
struct JSONPointerTests {
    static let document = #"{"foo":["bar","baz"],"":0,"a/b":1,"m~n":8,"nested":{"x":null}}"#

    @Test(
        arguments: [
            ("/foo/0", "bar"), ("/", "0"), ("/a~1b", "1"), ("/m~0n", "8"), ("/foo/2", nil), ("/foo/-", nil),
            ("/foo/01", nil), ("/foo/+1", nil), ("/a/b", nil), ("/nested/x/y", nil), ("/nested/y", nil),
        ] as [(String, String?)])
    func places(_ text: String, _ word: String?) throws {
        let document = try JSONDocument(Data(Self.document.utf8)).root
        #expect(try pointer(text).value(in: document)?.word == word)
    }

    @Test func noPointers() { #expect(JSONPointer("foo") == nil) }

    /// Each way in which a pointer of the owner's can be wrong names that pointer.
    @Test(
        arguments: [
            (list: "/rows", id: "/s", price: "/p", at: nil, "list: /rows: the document is an object with the key data"),
            (list: "/data/x", id: "/s", price: "/p", at: nil, "list: /data/x: /data is a list of 2"),
            (
                list: "/data/0/s", id: "/s", price: "/p", at: nil,
                "list: /data/0/s: there is the text \"A\", where a list"
            ),
            (
                list: "/data", id: "/sym", price: "/p", at: nil,
                "fields.id: /sym: nothing is there in any of 2 markets; a market is an object with the keys p, s, t"
            ),
            (
                list: "/data", id: "/t", price: "/p", at: nil,
                "fields.id: /t: there is an object with the key u, where a text"
            ),
            (list: "/data", id: nil, price: "/p", at: nil, "a list at /data (list), so fields.id is needed"),
            (
                list: "/data", id: "/s", price: "/last", at: nil,
                "fields.price: /last: nothing is there in any of 2 markets"
            ),
            (
                list: "/data", id: "/s", price: "/t", at: nil,
                "fields.price: /t: there is an object with the key u, where a"
            ),
            (list: "/data", id: "/s", price: "/t/u/v", at: nil, "fields.price: /t/u/v: nothing is there"),
            (list: "/data", id: "/s", price: "/p", at: "/when", "fields.quoted_at: /when: nothing is there"),
            (
                list: "/data", id: "/s", price: "/p", at: "/t/u",
                "fields.quoted_at: /t/u: there is a number, where a time in"
            ),
            (
                list: "/data", id: "/s", price: "/p", at: "/s",
                "fields.quoted_at: /s: there is the text \"A\", where a time in the form"
            ),
        ] as [(list: String, id: String?, price: String, at: String?, String)])
    func wrongPointersAreNamed(
        _ list: String, _ id: String?, _ price: String, _ at: String?, _ message: String
    ) async throws {
        let body = #"{"data":[{"s":"A","p":1,"t":{"u":1732179600}},{"s":"B","p":2,"t":{"u":1732179600}}]}"#
        let feed = try jsonFeed(
            "https://x.test/{ids}", price: price, id: id, quotedAt: at, list: list, timeFormat: .epochMilliseconds)
        let time = ManualTime()
        let report = try await scriptedFeed(feed, ScriptedTransport(time, [.json(body)]), time).poll(
            try mapped("A", "B"), within: .seconds(60))
        #expect(report.error?.kind == .decode)
        #expect(report.error?.message.contains(message) == true, "\(report.error?.message ?? "no error")")
    }
}
