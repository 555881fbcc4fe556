import Foundation
import HTTP
import Testing

@testable import pricewatch

@Suite struct SecretTests {
    static let word = "CG-very-secret-9"

    @Test func `a secret prints as stars`() throws {
        let read = try configuration("feeds: [{provider: coingecko, plan: demo, key: \(Self.word)}]")
        #expect(read.feeds[0].key?.revealed == Self.word)
        var dumped = ""
        dump(read, to: &dumped)
        for text in ["\(read)", String(reflecting: read), dumped, "\(read.feeds[0].key as Any)"] {
            #expect(!text.contains(Self.word))
            #expect(text.contains("***"))
        }
        #expect(Mirror(reflecting: try #require(read.feeds[0].key)).children.isEmpty)
    }

    @Test(arguments: [
        "webhook: \"https://example.org/\(word)\"", "ntfy: \"https://example.org/\(word)\"",
        "telegram: 1, token: \(word)",
    ])
    func `a channel's secret prints as stars`(channel: String) throws {
        let read = try configuration("notify: {ops: {\(channel)}}")
        var dumped = ""
        dump(read.notify, to: &dumped)
        #expect(!dumped.contains(Self.word) && dumped.contains("***"))
    }

    /// Whatever is wrong around it, the fault does not repeat it.
    @Test(arguments: [
        "feeds: [{provider: coingecko, key: \(word)}]",
        "feeds: [{provider: coingecko, plan: demo, key: [\(word)]}]",
        "feeds: [{provider: coingecko, plan: demo, key: {a: \(word)}}]",
        "feeds: [{provider: coingecko, plan: demo, key: \"\(word)\\n\(word)\"}]",
        "feeds: [{provider: coingecko, url: \"https://u:\(word)@example.org\"}]",
        "feeds: [{provider: coingecko, url: \"http://example.org/?key=\(word)\"}]",
        "feeds: [{provider: coingecko, url: \"https://example.org/#\(word)\"}]",
        "feeds: [{provider: json, url: \"https://example.org/{x}/\(word)\", fields: {price: /p}}]",
        "feeds: [{provider: json, url: \"https://example.org/{id}\", headers: {\"a b\": \(word)}, fields: {price: /p}}]",
        "feeds: \(word)",
        "feeds: [\(word)]",
        "export: [{influx: \"https://u:\(word)@example.org/write\"}]",
        "export: [{influx: \"http://example.org/write?key=\(word)\"}]",
        "export: [{influx: \"https://example.org/write\", password: \(word)}]",
        "export: [{influx: \"https://example.org/write\", user: \(word)}]",
        "export: [{influx: \"https://example.org/write\", token: \(word), user: a, password: \(word)}]",
        "export: [{influx: \"https://example.org/write\", headers: {\"a b\": \(word)}}]",
        "export: [{influx: \"https://example.org/write\", headers: {Host: \(word)}}]",
        "notify: \(word)",
        "notify: {ops: \"https://example.org/\(word)\"}",
        "notify: {ops: {webhook: \"http://example.org/\(word)\"}}",
        "notify: {ops: {slack: \"\(word)\"}}",
        "notify: {ops: {telegram: 1, token: [\(word)]}}",
        "heartbeat: \"https://example.org/\(word)\"",
        "heartbeat: {url: \"http://example.org/\(word)\"}",
        "feeds:\n  - provider: coingecko\n    key: \"\(word)",
        "feeds:\n  - provider: coingecko\n   key: \(word)",
        "poll: {every_env: SECRET}",
        "watch: {markets_env: SECRET}",
        "log: {level_env: SECRET}",
        "alerts: [{name: a, market: a, above_env: SECRET}]",
        "feeds: [{provider: coingecko, url_env: SECRET}]",
    ])
    func `no fault holds a secret`(text: String) throws {
        let scene = try ConfigurationScene()
        scene.host.variables["SECRET"] = Self.word
        let faults = scene.faults(text)
        #expect(!faults.isEmpty)
        #expect(!faults.joined().contains(Self.word), "\(faults)")
    }

    @Test func `a rotated key is read once more from where it stood`() throws {
        let scene = try ConfigurationScene()
        let path = try scene.write("first\n", to: "etc/coingecko.key")
        let text = "feeds: [{provider: coingecko, plan: demo, key_file: coingecko.key}]"
        let key = try #require(try scene.reading(text).configuration.feeds[0].key)
        #expect(key.revealed == "first")
        #expect(key.file == path)
        #expect(key.readAgain() == key)
        try scene.write("second\n", to: "etc/coingecko.key")
        #expect(key.readAgain()?.revealed == "second")
        try scene.write("", to: "etc/coingecko.key")
        #expect(key.readAgain() == nil)
        #expect(Secret("x").readAgain() == nil)
    }

    @Test(arguments: ["", "\n", "a\nb", "a\u{0}b", String(repeating: "a", count: 9000)])
    func `a key that cannot be one is a fault`(contents: String) throws {
        let scene = try ConfigurationScene()
        try scene.write(contents, to: "etc/k")
        let faults = scene.faults("feeds: [{provider: coingecko, plan: demo, key_file: k}]")
        #expect(faults.count == 1)
        #expect(faults[0].hasPrefix("p.yaml:1:53: feeds[0].key_file: must not "), "\(faults)")
    }
}
