import Engine
import Foundation
import Glibc
import History
import MarketSimulator
import Markets
import Testing

/// The program itself, and a receiver that misbehaves.
@Suite struct DeliveryProgramTests {
    private static let up = "alerts: [{name: high, market: bitcoin, above: 1}]"

    private func installation(
        _ simulator: CoinGeckoSimulator, _ receiver: Receiver, more: String = up, channel: String = ""
    ) throws -> Installation {
        try Installation(
            url: simulator.baseURL, markets: "[bitcoin]",
            more: "notify: {ops: {webhook: \"\(receiver.url)\"\(channel)}}\n\(more)")
    }

    private func queued(_ installation: Installation) throws -> Int {
        try HistoryReader(at: installation.folder.path + "/history.db").outboxSize().queued
    }

    private func hasPolled(_ installation: Installation, times: Int = 1) -> Bool {
        installation.log.count { $0.contains(" poll.ok ") || $0.contains(" poll.unchanged ") } >= times
    }

    @Test("500 twice, then it is taken: one message, one key, and the status is empty again without another poll")
    func serverErrors() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let receiver = try await Receiver([.json("{}", status: 500), .json("{}", status: 500)])
        let installation = try installation(simulator, receiver)
        _ = installation.folder.write(
            installation.folder.text("pricewatch.yaml").replacing("every: 1s", with: "every: 1h"),
            as: "pricewatch.yaml")
        let daemon = try installation.start("run")
        try await eventually("the message") { receiver.taken.count == 1 }
        #expect(receiver.all.count == 3)
        #expect(Set(receiver.all.map(\.key)).count == 1)
        #expect(receiver.taken.first?.events == ["firing high bitcoin"])
        try await eventually("an empty outbox in the status") {
            let outbox = try installation.status()["outbox"] as? [String: Any]
            return outbox?["queued"] as? Int == 0 && outbox?["oldest_s"] is NSNull
        }
        #expect(try installation.status()["state"] as? String == "ok")
        daemon.signal(SIGTERM)
        #expect(await daemon.ended().exit == 0)
        #expect(try queued(installation) == 0)
        await simulator.stop()
        await receiver.stop()
    }

    @Test("a receiver that hangs delays neither polls nor another channel nor the stop; its message stays queued")
    func hangs() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let (slow, quick) = (
            try await Receiver(Array(repeating: .hang, count: 100)), try await Receiver()
        )
        let installation = try installation(
            simulator, slow, channel: "}, quick: {webhook: \"\(quick.url)\"")
        let daemon = try installation.start("run")
        try await eventually("the quick one's message") { quick.taken.count == 1 }
        try await eventually("polls") { hasPolled(installation, times: 4) }
        #expect(slow.all.count == 1)
        let clock = ContinuousClock.now
        daemon.signal(SIGTERM)
        let ending = await daemon.ended()
        #expect(ending.exit == 0)
        #expect(ending.at - clock < .seconds(5))
        #expect(try queued(installation) == 1)
        let outbox = try installation.status()["outbox"] as? [String: Any]
        #expect(outbox?["queued"] as? Int == 1)
        await simulator.stop()
        await slow.stop()
        await quick.stop()
    }

    @Test("killed before it could deliver, the next daemon does, under the same key")
    func killed() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let receiver = try await Receiver([.hang])
        let installation = try installation(simulator, receiver)
        let first = try installation.start("run")
        try await eventually("the first attempt") { receiver.all.count == 1 }
        first.signal(SIGKILL)
        _ = await first.ended()
        let second = try installation.start("run")
        try await eventually("the message") { receiver.taken.count == 1 }
        #expect(Set(receiver.all.map(\.key)).count == 1)
        second.signal(SIGTERM)
        let ending = await second.ended()
        #expect(ending.exit == 0, "\(ending.errors)")
        #expect(try queued(installation) == 0)
        await simulator.stop()
        await receiver.stop()
    }

    @Test("a rule's events of one poll are one message, under the same key after a kill")
    func killedWithSeveral() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let receiver = try await Receiver([.hang])
        let installation = try installation(
            simulator, receiver, more: "alerts: [{name: high, markets: [bitcoin, ethereum, solana], above: 0.01}]")
        let first = try installation.start("run")
        try await eventually("the first attempt") { receiver.all.count == 1 }
        first.signal(SIGKILL)
        _ = await first.ended()
        let second = try installation.start("run")
        try await eventually("the message") { receiver.taken.count == 1 }
        #expect(Set(receiver.all.map(\.key)).count == 1)
        #expect(receiver.taken[0].events == ["bitcoin", "ethereum", "solana"].map { "firing high \($0)" })
        second.signal(SIGTERM)
        #expect(await second.ended().exit == 0)
        #expect(try queued(installation) == 0)
        await simulator.stop()
        await receiver.stop()
    }

    @Test("a reload keeps what waits, reaches a mended channel at once, and drops what nobody takes any more")
    func reload() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let receiver = try await Receiver([
            .json("{}", status: 429, headers: ["Retry-After": "3600"]),
            .json("{}", status: 429, headers: ["Retry-After": "3600"]),
        ])
        let mended = try await Receiver()
        let installation = try installation(
            simulator, receiver, channel: "}, gone: {webhook: \"\(receiver.url)\"")
        let daemon = try installation.start("run")
        try await eventually("two attempts") { receiver.all.count == 2 }
        _ = installation.folder.write(
            installation.folder.text("pricewatch.yaml")
                .replacing("ops: {webhook: \"\(receiver.url)\"}, gone: {", with: "ops: {")
                .replacing(receiver.url, with: mended.url), as: "pricewatch.yaml")
        daemon.signal(SIGHUP)
        try await eventually("the message, elsewhere") { mended.taken.count == 1 }
        #expect(receiver.all.map(\.key).contains(try #require(mended.taken.first).key))
        try await eventually("a word of the other") {
            installation.log.contains { $0.contains("notify.dropped channel=gone") && $0.contains("no_channel") }
        }
        daemon.signal(SIGTERM)
        #expect(await daemon.ended().exit == 0)
        #expect(try queued(installation) == 0)
        await simulator.stop()
        await receiver.stop()
        await mended.stop()
    }

    @Test("run --once sends what is due before it ends, what an earlier run left, too")
    func once() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let receiver = try await Receiver([.json("{}", status: 429, headers: ["Retry-After": "1"])])
        let installation = try installation(simulator, receiver)
        #expect(try await installation.run("run", "--once").exit == 0)
        #expect(receiver.taken.map(\.events) == [["firing high bitcoin"]])
        #expect(try queued(installation) == 0)
        let outbox = try installation.status()["outbox"] as? [String: Any]
        #expect(outbox?["queued"] as? Int == 0)
        await simulator.stop()
        await receiver.stop()
    }

    @Test(
        "run --once leaves what nobody takes within a few seconds to the next run, and says so",
        arguments: [.hang, .json("{}", status: 429, headers: ["Retry-After": "3600"])] as [LoopbackServer.Reply])
    func onceInVain(answer: LoopbackServer.Reply) async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let receiver = try await Receiver([answer])
        let installation = try installation(simulator, receiver)
        let clock = ContinuousClock.now
        let ending = try await installation.run("run", "--once")
        #expect(ending.exit == 0)
        #expect(ending.at - clock < .seconds(10))
        #expect(ending.errors.contains("pricewatch: 1 message waits in the outbox for the next run"))
        #expect(try queued(installation) == 1)
        #expect(receiver.all.count == 1)
        let next = try await installation.run("run", "--once")
        // What nobody answered may be tried again at once, what was refused only when the receiver says so.
        let isTaken = answer == .hang
        #expect(receiver.taken.count == (isTaken ? 1 : 0))
        #expect(next.errors.contains("outbox") != isTaken)
        #expect(try queued(installation) == (isTaken ? 0 : 1))
        await simulator.stop()
        await receiver.stop()
    }

    @Test("404 is dropped loudly and makes the status degraded")
    func refused() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let receiver = try await Receiver([.json("{}", status: 404)])
        let installation = try installation(simulator, receiver)
        let daemon = try installation.start("run")
        try await eventually("a word of it") {
            installation.log.contains { $0.contains("error notify.dropped channel=ops") && $0.contains("404") }
        }
        try await eventually("a degraded status") {
            let reasons = try installation.status()["reasons"] as? [[String: Any]]
            return reasons?.contains { $0["code"] as? String == "notify_failing" } == true
        }
        #expect(try await installation.run("status").exit == 1)
        #expect(receiver.all.count == 1)
        daemon.signal(SIGTERM)
        #expect(await daemon.ended().exit == 0)
        await simulator.stop()
        await receiver.stop()
    }

    @Test("the heartbeat follows the polls that brought prices, and no others")
    func heartbeat() async throws {
        let simulator = try await CoinGeckoSimulator.start(faults: [.ok, .status(404)])
        let watcher = try await Receiver()
        let installation = try Installation(
            url: simulator.baseURL, markets: "[bitcoin]",
            more: "heartbeat: {url: \"\(watcher.url)\", every: 1s}\nbuiltin_alerts: false")
        let daemon = try installation.start("run")
        try await eventually("polls of both kinds") {
            hasPolled(installation, times: 2) && installation.log.contains { $0.contains(" poll.failed ") }
        }
        daemon.signal(SIGTERM)
        #expect(await daemon.ended().exit == 0)
        let good = installation.log.count { $0.contains(" poll.ok ") || $0.contains(" poll.unchanged ") }
        #expect((1...good).contains(watcher.all.count))
        await simulator.stop()
        await watcher.stop()
    }
}
