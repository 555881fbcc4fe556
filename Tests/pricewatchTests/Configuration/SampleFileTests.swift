import Exports
import Foundation
import Testing

@testable import pricewatch

/// `etc/pricewatch.yaml`: a line that begins with # is text where one blank follows, else an option.
@Suite struct SampleFileTests {
    let scene: ConfigurationScene
    let lines: [String]

    init() throws {
        let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../..").standardizedFileURL
        let text = try String(contentsOf: root.appendingPathComponent("etc/pricewatch.yaml"), encoding: .utf8)
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        scene = try ConfigurationScene()
        try scene.write("CG-key\n", to: "etc/coingecko.key")
        try scene.write("tk_1\n", to: "etc/ntfy-token")
        try scene.write("https://example.org/hook\n", to: "etc/webhook-url")
        try scene.write("1:abc\n", to: "etc/telegram-token")
        try scene.write("vm\n", to: "etc/vm-token")
        try scene.write("am\n", to: "etc/am-token")
    }

    @Test func `as it stands it changes nothing`() throws {
        let reading = try scene.reading(lines.joined(separator: "\n"))
        let defaults = Configuration(folders: DefaultFolders(scene.host, usesSystemFile: false))
        #expect(reading.configuration == defaults)
        #expect(reading.warnings.isEmpty)
    }

    @Test func `with every option in use it parses, and says what it says it says`() throws {
        let reading = try scene.reading(lines.map { Option($0)?.text ?? $0 }.joined(separator: "\n"))
        #expect(reading.warnings.isEmpty)
        let read = reading.configuration
        #expect(read.watch.markets.count == 5)
        #expect(read.feeds.first?.key?.revealed == "CG-key")
        #expect(
            read.alertRules.map(\.name) == [
                "btc-below-60k", "anything-above-100k", "usdt-peg", "fast-drop", "sol-rises", "eth-moves", "btc-high",
                "eth-low", "eth-silent", "feed-stale", "market-stale", "market-missing",
            ])
        // Everything else shows its default, that of the service where it is a path.
        var host = scene.host
        host.isRoot = true
        let defaults = Configuration(folders: DefaultFolders(host, usesSystemFile: true))
        #expect(read.currency == defaults.currency)
        #expect(read.watch.top == defaults.watch.top)
        #expect(read.poll.timeout == defaults.poll.timeout && read.poll.retry == defaults.poll.retry)
        #expect(read.poll.every == defaults.tick && read.poll.confirmMovesOver == defaults.poll.confirmMovesOver)
        #expect(read.history == defaults.history)
        #expect(read.notify.map(\.name) == ["phone", "ops", "chat", "cluster", "hook"])
        let channel = Configuration.Channel(routing: .init(name: "a"), address: .exec([]))
        #expect(read.notify.allSatisfy { $0.routing.maxAge == channel.routing.maxAge && $0.timeout == channel.timeout })
        #expect(read.notify.allSatisfy { $0.routing.sendResolved })
        #expect(read.exports.map(\.name) == ["cluster"])
        let readBack = read.exports.first?.address
        #expect(readBack?.query?.revealed == readBack.flatMap { ExportAddress(url: $0.url).readBase })
        #expect(read.heartbeat?.every == .minutes(5))
        #expect(read.pageURL?.home == "https://prices.example.com/")
        #expect(read.digest == defaults.digest && read.zone == defaults.zone)
        #expect(read.log == defaults.log && read.reports.status == defaults.reports.status)
    }

    @Test func `each option alone parses`() throws {
        var tried = 0
        for start in lines.indices {
            guard let option = Option(lines[start]), !isInsideItem(start, option) else { continue }
            var alone = lines
            alone[start] = option.text
            for next in lines.indices[(start + 1)...] {
                if let inner = Option(lines[next]) {
                    guard inner.indent > option.indent else { break }
                    alone[next] = inner.text
                }
            }
            let faults = scene.faults(alone.joined(separator: "\n"))
            #expect(faults == [], "line \(start + 1): \(lines[start])")
            tried += 1
        }
        #expect(tried >= 20)
    }

    /// Options below a list's item, or below an option, are tried with it.
    private func isInsideItem(_ index: Int, _ option: Option) -> Bool {
        for line in lines[..<index].reversed() {
            if let outer = Option(line) {
                if outer.indent < option.indent { return true }
            } else if !line.isEmpty, !line.trimmingCharacters(in: .whitespaces).hasPrefix("#") {
                return false
            }
        }
        return false
    }

    private struct Option {
        let text: String
        let indent: Int

        init?(_ line: String) {
            guard line.hasPrefix("#"), line.count > 1 else { return nil }
            text = String(line.dropFirst())
            indent = text.prefix { $0 == " " }.count
            guard indent != 1 else { return nil }
        }
    }
}
