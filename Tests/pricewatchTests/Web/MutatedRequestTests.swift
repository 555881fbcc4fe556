import Foundation
import HTTP
import History
import Markets
import TestSupport
import Testing

@testable import pricewatch

/// Whatever is asked of the page, it answers with one of its own statuses and its own header fields.
@Suite struct MutatedRequestTests {
    private static let count = MutationRun.count(of: "REQUESTS", usually: 600)

    private static let good = [
        "/", "/?sort=change&state=fresh", "/m/bitcoin", "/m/bitcoin?window=7d", "/m/ethereum.svg?window=30d",
        "/m/tether.csv",
        "/alerts?since=7d", "/status", "/status.json", "/feed.atom", "/healthz", "/style.css", "/?refresh=60",
        "/m/%62itcoin?window=1y&refresh=60",
    ]

    private static let dictionary = [
        "/", "//", "..", "%2e%2e%2f", "%00", "%", "%2", "%ff", "?", "&", "=", "#", "since=", "refresh=60", "window=",
        "7d",
        "99999999999w", "/m/", "/alerts", ".svg", ".csv", "sort=age", "state=stale", "%3Cscript%3E", "%22", "+", "%20",
        "http://x/", "*",
    ]

    @Test func everyAnswerIsOurs() async throws {
        let database = FilledDatabase()
        let folder = try TemporaryFolder()
        try database.write(to: folder.database)
        let path = folder.write(
            FilledDatabase.configuration
                + "history: {database: \(folder.database)}\nstatus_file: \(folder.path)/status.json\n"
                + "log: {file: \(folder.path)/log}\n",
            as: "p.yaml")
        let configuration = try ConfigurationReading.readForRecords(option: path).configuration
        let site = Site(configuration, path: path, hosts: AllowedHosts([]))
        var mutator = Mutator(seed: MutationRun.seed, dictionary: Self.dictionary)
        var statuses: [Int: Int] = [:]
        for _ in 0..<Self.count {
            func part(_ good: String, unlessOneIn chance: Int) -> String {
                if mutator.random.below(chance) > 0 { return good }
                return String(decoding: mutator.mutated(Array(good.utf8), most: 8192), as: UTF8.self)
            }
            let target = part(mutator.random.pick(Self.good), unlessOneIn: 1)
            let method = part(mutator.random.pick(["GET", "HEAD"]), unlessOneIn: 20)
            let host = part(mutator.random.pick(["localhost", "127.0.0.1:8486", "[::1]"]), unlessOneIn: 10)
            let tag = part("\"0123456789abcdef\"", unlessOneIn: 4)
            let request = "\(method) \(target) \(host) \(tag)"
            MutationRun.note(Data(request.utf8))
            let reply = await site.reply(
                to: ServedRequest(
                    method, target, HTTPFields([(name: "Host", value: host), (name: "If-None-Match", value: tag)])),
                now: database.end + .seconds(10))
            statuses[reply.status, default: 0] += 1
            // No daemon runs here, as `/healthz` says.
            let known = [200, 304, 400, 404, 405, 421] + (target.contains("healthz") ? [503] : [])
            #expect(known.contains(reply.status), "\(reply.status): \(request)")
            #expect(reply.fields["Content-Security-Policy"]?.hasPrefix("default-src 'none'") == true, "\(request)")
            for field in reply.fields.all {
                #expect(!field.value.unicodeScalars.contains { $0.value < 0x20 }, "\(field): \(request)")
            }
            let body = String(decoding: reply.body, as: UTF8.self)
            #expect(!body.contains("<script"), "\(request)")
        }
        #expect(statuses[200, default: 0] > 0 && statuses[404, default: 0] > 0, "\(statuses)")
    }
}
