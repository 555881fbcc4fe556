import Engine
import Foundation
import Markets
import Testing

@testable import pricewatch

/// `KEY_file` and `KEY_env`.
@Suite struct IndirectionTests {
    let scene: ConfigurationScene

    init() throws {
        scene = try ConfigurationScene()
        scene.host.variables = [
            "EVERY": "90s", "EMPTY": "", "MARKETS": "[bitcoin, no]",
            "CREDENTIALS_DIRECTORY": scene.folder + "/credentials",
        ]
    }

    @Test func `any value may come from a file or a variable`() throws {
        try scene.write("/data/h.db\r\n", to: "etc/database")
        try scene.write("- bitcoin\n- {id: solana}\n", to: "etc/markets.yaml")
        try scene.write("0.1\n", to: "etc/threshold")
        let text = """
            poll: {every_env: EVERY}
            history: {database_file: database}
            watch: {markets_file: markets.yaml}
            alerts: [{name: a, market: a, above_file: threshold}]
            """
        let read = try scene.reading(text).configuration
        #expect(read.poll.every == .seconds(90))
        #expect(read.history.database == "/data/h.db")
        #expect(read.watch.markets.map(\.id.text) == ["bitcoin", "solana"])
        #expect(read.alerts.rules.first?.condition == .above(try #require(Price(parsing: "0.1"))))
    }

    @Test func `a list may come from a variable`() throws {
        let read = try scene.reading("watch: {markets_env: MARKETS}").configuration
        #expect(read.watch.markets.map(\.id.text) == ["bitcoin", "no"])
    }

    @Test func `one newline at the end is dropped, no more`() throws {
        try scene.write("a b \n", to: "etc/k")
        let read = try scene.reading("feeds: [{provider: coingecko, plan: demo, key_file: k}]")
        #expect(read.configuration.feeds[0].key?.revealed == "a b ")
    }

    @Test func `a relative path is looked up among the credentials first`() throws {
        try scene.write("from etc", to: "etc/k")
        let text = "feeds: [{provider: coingecko, plan: demo, key_file: k}]"
        #expect(try scene.reading(text).configuration.feeds[0].key?.revealed == "from etc")
        try scene.write("from credentials", to: "credentials/k")
        #expect(try scene.reading(text).configuration.feeds[0].key?.revealed == "from credentials")
    }

    @Test func `a fault in a file of a list names that file`() throws {
        try scene.write("- bitcoin\n- {id: solana, biance: x}\n", to: "etc/markets.yaml")
        #expect(
            scene.faults("watch: {markets_file: markets.yaml, top: x}") == [
                "p.yaml:1:42: watch.top: expected a whole number from 0 to 10000, found \"x\"",
                "ETC/markets.yaml:2:16: watch.markets[1].biance: unknown key; did you mean watch.markets[1].binance?",
            ])
    }

    @Test(arguments: [
        (
            "poll: {every: 1s, every_env: EVERY}",
            "p.yaml:1:19: poll.every_env: given twice: every says it already; keep one"
        ),
        (
            "poll: {every_env: EVERY, every_file: x}",
            "p.yaml:1:26: poll.every_file: given twice: every_env says it already; keep one"
        ),
        ("poll: {every_env: NOPE}", "p.yaml:1:19: poll.every_env: there is no environment variable NOPE"),
        (
            "poll: {every_env: EMPTY}",
            "p.yaml:1:19: poll.every_env: expected a duration such as 60s or 1h30m, found something else in $EMPTY"
        ),
        (
            "poll: {every_file: nope}",
            "p.yaml:1:20: poll.every_file: there is no file SCENE/credentials/nope, nor ETC/nope"
        ),
        ("poll: {every_file: /nope}", "p.yaml:1:20: poll.every_file: there is no file /nope"),
        ("poll: {every_file: /dev/zero}", "p.yaml:1:20: poll.every_file: read /dev/zero: larger than 1 MiB"),
        ("poll: {every_file: /}", "p.yaml:1:20: poll.every_file: read /: is a directory"),
        ("poll: {every_file: [a]}", "p.yaml:1:8: poll.every_file: expected a path, found a list"),
        (
            "poll: {every_env: }",
            "p.yaml:1:19: poll.every_env: expected the name of an environment variable, found nothing"
        ),
        (
            "feeds: [{provider: coingecko, plan: demo, key_env: NOPE}]",
            "p.yaml:1:52: feeds[0].key_env: there is no environment variable NOPE"
        ),
        ("poll_file: x", "p.yaml:1:1: poll_file: unknown key"),
    ])
    func `what cannot be had is named`(text: String, fault: String) {
        #expect(scene.faults(text) == [fault])
    }

    @Test func `a command that only reads goes without secrets, and without nothing else`() throws {
        let text = "feeds: [{provider: coingecko, plan: demo, key_env: NOPE}]"
        let read = try scene.reading(text, sparesSecrets: true).configuration
        #expect(read.feeds[0].plan == .demo)
        #expect(read.feeds[0].key?.revealed == "")
        #expect(throws: ConfigurationError.self) {
            try scene.reading("history: {database_env: NOPE}", sparesSecrets: true)
        }
    }
}
