import Engine
import Foundation
import Markets
import Testing

@testable import pricewatch

@Suite struct DefaultsTests {
    static let folders = {
        let host = HostEnvironment(variables: [:], home: "/home/anna", isRoot: false)
        return DefaultFolders(host, usesSystemFile: false)
    }()

    @Test func `without a file the 20 largest markets in usd are asked of CoinGecko without a key`() throws {
        let built = Configuration(folders: Self.folders)
        #expect(built.currency.code == "usd")
        #expect(built.watch == Configuration.Watch())
        #expect(built.feeds.map(\.name) == ["coingecko"])
        #expect(built.feeds[0].plan == .public)
        #expect(built.feeds[0].key == nil)
        #expect(built.every(of: built.feeds[0]) == .seconds(60) && built.watch.top == 20)
        #expect(built.poll.timeout == .seconds(20))
        #expect(built.poll.retry == .init(attempts: 3, base: .seconds(1), cap: .seconds(30)))
        #expect(built.poll.confirmMovesOver == Percent(hundredths: 2000))
        #expect(try built.staleness(of: MarketID("bitcoin")).after == .minutes(15))
        #expect(built.history.database == "/home/anna/.local/state/pricewatch/history.db")
        #expect(built.history.retention.samples == .hours(90 * 24))
        #expect(built.history.retention.candles == nil)
        #expect(built.history.retention.maxSize == 2_147_483_648)
        #expect(built.history.backfill == .hours(24))
        #expect(built.alerts == .init() && built.notify.isEmpty && built.alerts.builtIn)
        #expect(built.digest == .init(at: TimeOfDay(hour: 7, minute: 0), notify: []))
        #expect(built.zone == .utc)
        #expect(built.heartbeat == nil && built.reports.metrics == nil)
        #expect(
            built.log == .init(file: "/home/anna/.local/state/pricewatch/pricewatch.log", level: .info, format: .text))
        #expect(built.reports.status == "/home/anna/.local/state/pricewatch/status.json")
    }

    @Test(arguments: ["", "# nothing\n", "---\n", "watch:\npoll:\nalerts:\nfeeds:\n", "{}", "currency: null\nlog: ~\n"])
    func `a file that says nothing changes nothing`(text: String) throws {
        let scene = try ConfigurationScene()
        let expected = Configuration(folders: DefaultFolders(scene.host, usesSystemFile: false))
        #expect(try scene.reading(text).configuration == expected)
    }

    @Test(arguments: [
        ("watch: {markets: [bitcoin]}", 0), ("watch: {markets: []}", 20), ("watch: {markets: [bitcoin], top: 5}", 5),
        ("watch: {top: 250}", 250), ("alerts: [{name: a, market: bitcoin, above: 1}]", 20),
    ])
    func `the largest markets are the default where none is named`(text: String, top: Int) throws {
        #expect(try configuration(text).watch.top == top)
    }

    @Test(arguments: [
        ("feeds: [{provider: coingecko}]", 60, nil),
        ("feeds: [{provider: coingecko, plan: demo, key: k}]", 300, 10_000),
        ("feeds: [{provider: coingecko, plan: pro, key: k}]", 60, 100_000),
        ("feeds: [{provider: coingecko, plan: demo, key: k, quota_month: 50000}]", 300, 50_000),
        ("feeds: [{provider: coingecko, every: 2m}]", 120, nil), ("poll: {every: 1s}", 1, nil),
        ("feeds: [{provider: coingecko, every: 2m}]\npoll: {every: 30s}", 120, nil),
    ])
    func `interval and quota follow the plan unless said`(text: String, seconds: Int, quota: Int?) throws {
        let read = try configuration(text)
        #expect(read.tick == .seconds(seconds))
        #expect(read.feeds[0].monthlyQuota == quota)
    }

    @Test(arguments: [
        ("poll: {every: 1m}", 900), ("poll: {every: 10m}", 1800), ("poll: {every: 10m, stale_after: 5m}", 300),
        ("poll: {stale_after: 5m}\nfeeds: [{provider: coingecko, stale_after: 6m}]", 360),
        ("feeds: [{provider: coingecko, stale_after: 6m}]\nwatch: {markets: [{id: bitcoin, stale_after: 7m}]}", 420),
        ("feeds: [{provider: coingecko, plan: demo, key: k, every: 20m}]", 3600),
    ])
    func `the nearest word on staleness holds`(text: String, seconds: Int) throws {
        #expect(try configuration(text).staleness(of: MarketID("bitcoin")).after == .seconds(seconds))
    }

    @Test func `a cycle may last as long as its interval or its requests`() throws {
        for (top, seconds) in [(250, 60), (1000, 100)] {
            let read = try configuration("poll: {every: 60s, timeout: 25s}\nwatch: {top: \(top)}")
            #expect(Settings(read, host: "box").deadline == .seconds(seconds))
        }
    }
}
