import Engine
import Foundation
import History
import MarketSimulator
import Markets
import TestSupport
import Testing

@testable import Views
@testable import pricewatch

/// Whatever has become of the database, a command that reads says so and leaves it as it is, and the daemon records, in
/// this database or in a new one beside it.
@Suite struct MutatedDatabaseTests {
    private static let count = MutationRun.count(of: "DATABASES", usually: 100)

    @Test("the good database has rows in every table, and everybody reads it")
    func good() async throws {
        let scene = try MutationScene(closed: true)
        #expect(try FilledDatabase.emptyTables(of: scene.database) == [])
        #expect(scene.readEverything().isEmpty)
        #expect(try await scene.poll())
        #expect(scene.aside.isEmpty)
    }

    @Test("mutated rows, tables and bytes", arguments: [true, false])
    func mutated(closed: Bool) async throws {
        let scene = try MutationScene(closed: closed)
        var mutations = try Mutations(of: scene.database, seed: MutationRun.seed, hasLog: !closed)
        var replaced = 0
        for _ in 0..<(closed ? Self.count : Self.count / 2) {
            let mutation = mutations.next()
            try scene.reset()
            try mutation.apply(scene.database)
            Self.note(mutation)
            let before = scene.files
            for error in scene.readEverything() { #expect(Self.isDamage(error), "\(mutation): \(error)") }
            #expect(scene.files == before, "\(mutation): a reader changed the files")
            do {
                #expect(try await scene.poll(), "\(mutation): not recorded")
                #expect(scene.readStates().isEmpty, "\(mutation): \(scene.readStates())")
                if !scene.aside.isEmpty { replaced += 1 }
            } catch let error as HistoryError {
                #expect([.foreign, .newerSchema].contains(error.kind), "\(mutation): \(error)")
                #expect(scene.files == before, "\(mutation): refused and changed")
            }
        }
        // From another seed a few may all be harmless.
        #expect(replaced > 0 || !MutationRun.isUsual && Self.count < 1000)
    }

    /// Whoever looks for the mutation that ends the tests finds it in this file.
    private static func note(_ mutation: Mutation) {
        guard let file = ProcessInfo.processInfo.environment["PRICEWATCH_MUTATION_LOG"] else { return }
        try? "\(mutation)\n".write(toFile: file, atomically: false, encoding: .utf8)
    }

    /// Beside damage, a changed mark makes it another program's, and a changed list of migrations a newer release's.
    private static func isDamage(_ error: any Error) -> Bool {
        guard let error = error as? HistoryError else { return false }
        return [.corrupt, .foreign, .newerSchema].contains(error.kind)
    }
}

/// A good database, a copy of it to be damaged, and what commands and daemon do with that.
private struct MutationScene {
    let simulator: CoinGeckoSimulator
    private let good: TemporaryFolder
    private let scene: ConfigurationScene
    private let reading: ConfigurationReading
    private let filled = FilledDatabase()

    init(closed: Bool) throws {
        good = try TemporaryFolder()
        try filled.write(to: good.database, closed: closed)
        simulator = CoinGeckoSimulator(now: { [filled] in filled.end })
        scene = try ConfigurationScene()
        reading = try scene.reading(
            """
            \(FilledDatabase.configuration)
            feeds: [{provider: coingecko, url: "\(simulator.baseURL)"}]
            poll: {every: 7m, retry: {attempts: 1}}
            history: {database: \(scene.folder)/history.db, backfill: null}
            log: {file: \(scene.folder)/log}
            status_file: \(scene.folder)/status.json
            """)
        try reset()
    }

    var database: String { scene.folder + "/history.db" }

    /// Puts the good database in place of the damaged one.
    func reset() throws {
        for name in names { try FileManager.default.removeItem(atPath: scene.folder + "/" + name) }
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: good.database + suffix) {
            try FileManager.default.copyItem(atPath: good.database + suffix, toPath: database + suffix)
        }
    }

    /// What lies there of the database.
    private var names: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: scene.folder)) ?? []
        return names.filter { $0.hasPrefix("history.db") }
    }

    /// The bytes of the database, of its log and of what was set aside.
    var files: [String: Data] {
        var files: [String: Data] = [:]
        for name in names where !name.hasSuffix("-shm") && !name.hasSuffix(".lock") {
            let bytes = FileManager.default.contents(atPath: scene.folder + "/" + name) ?? Data()
            // A log of no bytes says nothing.
            if !bytes.isEmpty || !name.hasSuffix("-wal") { files[name] = bytes }
        }
        return files
    }

    /// The databases that were set aside.
    var aside: [String] { files.keys.filter { $0.hasPrefix("history.db.damaged-") } }

    /// Asks all that the commands ask, and returns what they fail with.
    func readEverything() -> [any Error] {
        var errors: [any Error] = readStates()
        func ask(_ question: (HistoryReader, Configuration) throws -> Void) {
            do {
                try question(try HistoryReader(at: database), reading.configuration)
            } catch let error as CommandError where error.exitCode == Exit.noSuchData {
            } catch { errors.append(error) }
        }
        let now = filled.end
        ask { reader, configuration in
            _ = try StatusReport(remembering: reader, Settings(configuration, host: ""), now: now)
        }
        for length in ["1h", "24h", "7d"] {
            ask { reader, configuration in
                _ = try MarketReport(recordedIn: reader, configuration, window: Window(parsing: length), now: now)
            }
        }
        for backfilled in [false, true] {
            ask { reader, configuration in
                _ = try RehearsalReport(
                    playing: reader, through: configuration.alertRules, configuration, since: .distantPast,
                    withBackfilled: backfilled)
            }
        }
        for text in ["bitcoin", "Tether", "nothing"] {
            ask { reader, configuration in
                let (market, currency) = try RecordedMarket.find(text, in: reader, preferring: .init(.usd))
                _ = try Chart(of: market, in: currency, from: reader, configuration, since: nil, until: now)
                try reader.samples(of: market, in: currency, since: nil, until: nil) {
                    _ = Records.values(of: $0, in: .utc)
                }
                for length in ["1m", "1h", "1d"] {
                    try reader.candles(
                        of: market, in: currency, every: Window(parsing: length).length, since: nil, until: nil
                    ) { _ in }
                }
            }
        }
        ask { reader, configuration in
            _ = try Trends(reader, in: .init(.usd), oldest: filled.start, every: .minutes(7), now: now)
        }
        ask { reader, _ in
            let rhythm = MarketRhythm(try MarketID("bitcoin"), longestStep: .minutes(14))
            _ = try reader.holes(of: [rhythm], in: .init(.usd), now - .hours(24)..<now)
            _ = try reader.backfilled(rhythm.market, in: .usd)
        }
        return errors
    }

    /// Asks for what the daemon must know when it starts.
    func readStates() -> [any Error] {
        var errors: [any Error] = []
        func ask(_ question: (HistoryReader) throws -> Void) {
            do { try question(try HistoryReader(at: database)) } catch { errors.append(error) }
        }
        ask { _ = try $0.silences() }
        ask { _ = try $0.alerts() }
        ask { _ = try $0.notifiedChannels() }
        ask { _ = try $0.activeEvents() }
        ask { _ = try $0.unloggedEvents() }
        ask { _ = try $0.alertRules() }
        ask { _ = try $0.lastDigest() }
        ask { _ = try $0.ranking() }
        ask { reader in for message in try reader.queuedMessages() { _ = try reader.contents(ofMessage: message.id) } }
        return errors
    }

    /// The daemon's start and its first poll. Returns whether that was recorded.
    func poll() async throws -> Bool {
        let moment = Moment(wall: filled.end, uptime: .zero, awake: .zero)
        var environment = DaemonEnvironment(variables: [:], host: "box", now: { moment }, once: .seconds(5))
        environment.transport = SimulatedTransport(simulator)
        let ending = await Daemon(try await Bootstrap(reading, environment)).run()
        if case .polled(_, recorded: true) = ending { return true }
        return false
    }
}
