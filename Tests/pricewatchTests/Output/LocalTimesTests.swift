import Foundation
import MarketSimulator
import Markets
import TestSupport
import Testing

@testable import Channels
@testable import Engine
@testable import Views
@testable import pricewatch

/// Messages, digest and charts in the zone of people, around the changes of their clocks, as Python's zoneinfo has them.
@Suite(.enabled(if: Python.hasZones, "python3 with zoneinfo and its data is not here"))
struct LocalTimesTests {
    private func zone(_ name: Substring) throws -> Zone { try #require(Zone(named: String(name))) }

    private func date(_ seconds: some StringProtocol) throws -> Date {
        Date(timeIntervalSince1970: try #require(Double(seconds)))
    }

    @Test("a message says when, as the clocks show it")
    func messages() throws {
        var zones: [Substring: Zone] = [:]
        let rows = try Python.zones(["changes"])
        for row in rows {
            let zone = try zones[row[0]] ?? zone(row[0])
            zones[row[0]] = zone
            let moment = try date(row[1])
            let text = "\(row[4]) \(row[3])"
            var message = Told.message(
                Told.event(kind: .resolved, reason: .conditionEnded, quotedAt: moment, since: moment))
            message.zone = zone
            let lines = MessageText(message).lines
            #expect(
                lines.contains("quoted \(text) by coingecko") && lines.contains("fired \(text)"), "\(row): \(lines)")

            let long = [Told.event(at: moment), Told.event(at: moment + .hours(5))]
            let first = MessageText(Message(id: "m", events: long, zone: zone)).lines[0]
            #expect(first.hasPrefix("\(row[4].dropFirst(11).prefix(5)) \(row[3]) ▼"), "\(row): \(first)")

            let gap = try #require(Gap(from: moment, to: moment + .hours(1), backfilled: 0))
            let note = Note(gap, changed: [], at: moment, host: "box", in: zone)
            #expect(note.lines[0].hasPrefix("from \(row[4]) "), "\(row): \(note.lines[0])")
        }
        #expect(rows.count > 10_000)
    }

    @Test("the digest is due when the clocks show its time, once a day")
    func digest() throws {
        let rows = try Python.zones(["days"])
        for row in rows {
            let zone = try zone(row[0])
            let digest = DigestTime(at: try #require(TimeOfDay(row[1])))
            let moment = try date(row[2])
            #expect(digest.lastMoment(before: moment, in: zone) == moment, "\(row)")
            let before = digest.lastMoment(before: moment - .milliseconds(1), in: zone)
            #expect((22.0...26.0).contains(moment.since(before).inSeconds / 3600), "\(row): \(before)")
        }
        #expect(rows.count > 1000)
    }

    @Test("the ticks of a chart stand at round hours and midnights of the clocks")
    func ticks() throws {
        let rows = try Python.zones(["ticks"])
        for row in rows {
            let zone = try zone(row[0])
            let (start, end, step) = (try date(row[1]), try date(row[2]), try #require(Double(row[3])))
            let axis = ChartAxis(
                from: start, to: end, ticks: Int(end.timeIntervalSince(start) / step), in: zone)
            let moments = axis.ticks.map { "\(Int($0.value))" }.joined(separator: ",")
            #expect(moments == row[4], "\(row): \(axis.ticks.map(\.label))")
        }
        #expect(rows.count > 100)
    }

    @Test(
        "their labels, where the clocks are set",
        arguments: [
            ("Europe/Berlin", "2026-10-25T00:10:00Z", 4.0, 4, "02:00 03:00 04:00 05:00", "02:10 CEST to 05:10 CET"),
            ("Europe/Berlin", "2026-10-24T23:10:00Z", 4, 4, "02:00 02:00 03:00 04:00", "01:10 CEST to 04:10 CET"),
            // 02:00 is not there twice within two hours.
            (
                "Europe/Berlin", "2026-10-24T21:10:00Z", 8, 4, "Oct 25 02:00 04:00 06:00",
                "23:10 CEST to 2026-10-25 06:10 CET"
            ),
            (
                "Europe/Berlin", "2026-03-28T22:10:00Z", 8, 4, "Mar 29 04:00 06:00 08:00",
                "23:10 CET to 2026-03-29 08:10 CEST"
            ),
            (
                "Australia/Lord_Howe", "2026-04-04T14:10:00Z", 2, 4, "01:30 01:30 02:00 02:30",
                "01:10 +11 to 02:40 +1030"
            ),
            (
                "America/St_Johns", "2026-03-07T03:00:00Z", 72, 3, "Mar 7 Mar 8 Mar 9 Mar 10",
                "2026-03-06 23:30 NST to 2026-03-10 00:30 NDT"
            ),
        ])
    func labels(name: String, start: String, hours: Double, count: Int, labels: String, time: String) throws {
        let zone = try zone(name[...])
        let start = try #require(Date(utcText: start))
        let end = start.addingTimeInterval(hours * 3600)
        let axis = ChartAxis(from: start, to: end, ticks: count, in: zone)
        #expect(axis.ticks.map(\.label).joined(separator: " ") == labels)
        var chart = Chart(of: try MarketID("bitcoin"), in: .usd, from: start, to: end, [])
        chart.zone = zone
        #expect(chart.time.hasSuffix(time), "\(chart.time)")
        #expect(SVGChart(chart).file.text.contains(chart.time))
        #expect(TerminalChart(chart, on: Terminal(width: 100)).lines.joined().contains(chart.time))
    }

    @Test("tables and texts of commands are in the zone of the configuration, and what programs read in UTC")
    func commands() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(
            url: simulator.baseURL, markets: "[bitcoin]",
            more: """
                timezone: Australia/Lord_Howe
                alerts: [{name: low, market: bitcoin, above: 1, expires: 2099-07-01}]
                """)
        #expect(try await installation.run("run", "--once").exit == 0)
        await simulator.stop()

        let local = try Regex(#"\b\d\d:\d\d(:\d\d)? \+1[01](30)?\b"#)
        let utc = try Regex(#"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"#)
        for command in [
            ["history", "bitcoin"], ["alerts"], ["status"], ["silence", "low"], ["silence"], ["chart", "bitcoin"],
            ["summary"], ["check"], ["rehearse"], ["forget", "bitcoin", "--before", "1d", "--yes"],
            ["history", "bitcoin", "--every", "1h"],
        ] {
            let ending = try await Program.start(command + ["--config", installation.configuration]).ended()
            #expect(ending.output.contains(local) && !ending.output.contains(utc), "\(command): \(ending)")
        }
        let check = try await installation.run("check").output
        #expect(check.contains("until 2099-07-01 00:00:00 +1030") && check.contains("Lord_Howe, now +1"), "\(check)")
        for command in [
            ["history", "bitcoin", "--json"], ["history", "bitcoin", "--format", "csv"], ["alerts", "--json"],
            ["history", "bitcoin", "--format", "ndjson"], ["status", "--json"], ["rehearse", "--json"],
            ["summary", "--json"],
        ] {
            let ending = try await Program.start(command + ["--config", installation.configuration]).ended()
            #expect(!ending.output.contains(local) && ending.output.contains(utc), "\(command): \(ending)")
        }
        let log = installation.log.joined(separator: "\n")
        #expect(!log.contains(local) && !installation.folder.text("status.json").contains(local))
    }

    @Test("--since is meant by the clocks of the zone where it names none")
    func since() throws {
        let berlin = try zone("Europe/Berlin")
        func moment(_ text: String) throws -> String {
            try TimeArgument.parse(text).date(now: Told.now, in: berlin).utcText
        }
        #expect(try moment("2026-11-21") == "2026-11-20T23:00:00Z")
        #expect(try moment("2026-07-01 08:30") == "2026-07-01T06:30:00Z")
        #expect(try moment("2026-07-01T08:30:00") == "2026-07-01T06:30:00Z")
        #expect(try moment("2026-07-01T08:30:00Z") == "2026-07-01T08:30:00Z")
        #expect(try moment("2026-07-01T08:30:00+05:30") == "2026-07-01T03:00:00Z")
        #expect(try moment("24h") == "2026-11-20T10:00:00Z")
        #expect(throws: (any Error).self) { try TimeArgument.parse("08:30") }
    }
}
