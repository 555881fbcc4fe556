import Engine
import Foundation
import Glibc
import Markets
import Testing

@testable import Channels
@testable import pricewatch

/// Real programs in a folder of their own.
@Suite struct ExecChannelTests {
    private static let message = Told.message(Told.event(note: "a \"quoted\"\nnote 🚀"))

    /// - Parameter script: What /bin/sh runs.
    private static func channel(
        _ script: String, in folder: TemporaryFolder, arguments: [String] = [], timeout: Duration = .seconds(30),
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> ExecChannel {
        let path = try folder.write(
            program: "#!/bin/sh\ncd '\(folder.path)' || exit 9\n" + script + "\n", as: "hook")
        return ExecChannel(
            name: "hook", command: [path] + arguments, timeout: timeout, environment: ChildEnvironment(environment),
            grace: .milliseconds(100))
    }

    private static func error(_ channel: ExecChannel, _ message: Message = message) async throws -> DeliveryError {
        try await #expect(throws: DeliveryError.self) { try await channel.deliver(message) }.unwrapped()
    }

    private static func isAlive(_ pid: String) -> Bool {
        guard let pid = pid_t(pid.trimmingCharacters(in: .whitespacesAndNewlines)), kill(pid, 0) == 0 else {
            return false
        }
        // Killed, but not yet reaped by its new parent.
        let stat = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ""
        return !stat.contains(") Z ")
    }

    // MARK: What it is given

    @Test func `the event on standard input and in the environment, without a shell`() async throws {
        let folder = try TemporaryFolder()
        let channel = try Self.channel(
            "cat >stdin; env -0 >env; printf '%s' \"$#:$1\" >arguments", in: folder, arguments: ["$HOME; `id`"])
        #expect(try await channel.deliver(Self.message) == "exit 0")
        #expect(folder.text("arguments") == "1:$HOME; `id`")
        let object = try JSONSerialization.jsonObject(with: Data(folder.text("stdin").utf8)) as? [String: Any]
        #expect(object?["event"] as? String == "firing")
        #expect(object?["note"] as? String == "a \"quoted\"\nnote 🚀")
        let environment = Self.environment(folder)
        #expect(environment["PRICEWATCH_EVENT"] == "firing")
        #expect(environment["PRICEWATCH_RULE"] == "btc-below-60k")
        #expect(environment["PRICEWATCH_MARKET"] == "bitcoin")
        #expect(environment["PRICEWATCH_PRICE"] == "59990")
        #expect(environment["PRICEWATCH_SEVERITY"] == "warning")
        #expect(environment["PRICEWATCH_NOTE"] == "a \"quoted\"\nnote 🚀")
        #expect(environment["PRICEWATCH_THRESHOLD"] == "")
        #expect(environment["PRICEWATCH_MESSAGE_ID"] == "m-1")
        #expect(environment["PRICEWATCH_TITLE"] == "▼ BTC 59,990 usd, below 60,000 (btc-below-60k)")
        #expect(environment["PRICEWATCH_JSON"].map { $0 + "\n" } == folder.text("stdin"), "a line of ndjson")
    }

    private static func environment(_ folder: TemporaryFolder) -> [String: String] {
        let pairs = folder.text("env").split(separator: "\0").map {
            $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        }
        return Dictionary(pairs.map { (String($0[0]), String($0.last ?? "")) }) { $1 }
    }

    @Test func `a group is what a webhook gets, and may be larger than a variable`() async throws {
        let folder = try TemporaryFolder()
        let events = (0..<2000).map { Told.event(rule: "rule \($0)", name: String(repeating: "🚀", count: 50)) }
        let channel = try Self.channel("cat >stdin; env -0 >env", in: folder)
        _ = try await channel.deliver(Message(id: "g", events: events))
        let object = try JSONSerialization.jsonObject(with: Data(folder.text("stdin").utf8)) as? [String: Any]
        #expect(object?["schema"] as? Int == 1)
        #expect((object?["events"] as? [Any])?.count == 2000)
        let environment = Self.environment(folder)
        #expect(environment["PRICEWATCH_EVENTS"] == "2000")
        #expect(environment["PRICEWATCH_JSON"] == nil && environment["PRICEWATCH_EVENT"] == nil)
    }

    @Test func `a note, and a name that no variable could hold`() async throws {
        let folder = try TemporaryFolder()
        let channel = try Self.channel("cat >stdin; env -0 >env", in: folder)
        _ = try await channel.deliver(Told.note)
        #expect(Self.environment(folder)["PRICEWATCH_NOTE_KIND"] == "test")
        let long = String(repeating: "é\0", count: 200_000)
        _ = try await channel.deliver(Told.message(Told.event(name: long)))
        let name = Self.environment(folder)["PRICEWATCH_NAME"] ?? ""
        #expect(name.hasSuffix("é…") && name.utf8.count <= 65_536)
    }

    @Test func `nothing of ours that is secret`() async throws {
        let folder = try TemporaryFolder()
        let own = [
            "PATH": "/usr/bin:/bin", "HOME": "/home/me", "LC_ALL": "C", "CREDENTIALS_DIRECTORY": "/run/credentials",
            "NOTIFY_SOCKET": "/run/notify", "WATCHDOG_USEC": "1", "COINGECKO_KEY": "S3cr3t", "STATE_DIRECTORY": "/var",
        ]
        let channel = try Self.channel("env -0 >env", in: folder, environment: own)
        _ = try await channel.deliver(Self.message)
        let names = Set(Self.environment(folder).keys.filter { !$0.hasPrefix("PRICEWATCH_") })
        #expect(names.subtracting(["PWD", "SHLVL", "_", "OLDPWD"]) == ["PATH", "HOME", "LANG", "LC_ALL"])
    }

    @Test func `no descriptor but the standard ones`() async throws {
        let folder = try TemporaryFolder()
        // A child inherits it unless it is closed.
        let leak = open(folder.path, O_RDONLY)
        defer { close(leak) }
        #expect(leak >= 3)
        let channel = try Self.channel("exec ls -l /proc/self/fd >fds", in: folder)
        _ = try await channel.deliver(Self.message)
        let lines = folder.text("fds").split(separator: "\n").filter { $0.contains(" -> ") }
        // The fourth is the folder that is listed.
        #expect(lines.count == 4, "\(lines)")
        #expect(!lines.contains { $0.hasSuffix(folder.path) })
    }

    @Test func `a session of its own`() async throws {
        let folder = try TemporaryFolder()
        let channel = try Self.channel("echo $$ $(cut -d' ' -f5,6 /proc/$$/stat) >ids", in: folder)
        _ = try await channel.deliver(Self.message)
        let ids = folder.text("ids").split(whereSeparator: \.isWhitespace)
        #expect(ids.count == 3 && Set(ids).count == 1, "\(ids)")
    }

    // MARK: How it ends

    @Test(arguments: [1, 75, 64, 126, 255])
    func `any other exit may be tried again`(code: Int) async throws {
        let folder = try TemporaryFolder()
        let error = try await Self.error(
            try Self.channel("echo out; printf 'no \\033[31mroute' >&2; exit \(code)", in: folder))
        #expect(
            error.description
                == "run \(folder.path)/hook for hook: exit \(code): \"out\\u000ano \\u001b[31mroute\"")
        #expect(!error.isPermanent && error.retryAfter == nil)
    }

    @Test func `what it says is shown`() async throws {
        let folder = try TemporaryFolder()
        #expect(
            try await Self.channel("echo sent 3 mails", in: folder).deliver(Self.message)
                == "exit 0: \"sent 3 mails\"")
    }

    @Test func `a signal`() async throws {
        let folder = try TemporaryFolder()
        let error = try await Self.error(try Self.channel("kill -SEGV $$", in: folder))
        #expect(error.description.hasSuffix("ended by signal 11 (segmentation fault)"))
        #expect(!error.isPermanent)
    }

    @Test func `standard input that is closed early is the program's affair`() async throws {
        let folder = try TemporaryFolder()
        let large = Told.message(Told.event(note: String(repeating: "x", count: 500_000)))
        #expect(try await Self.channel("exec 0<&-; sleep 0.05; exit 0", in: folder).deliver(large) == "exit 0")
        #expect(try await Self.channel("exit 0", in: folder).deliver(large) == "exit 0")
    }

    @Test func `a grandchild that holds the pipes delays nothing`() async throws {
        let folder = try TemporaryFolder()
        let channel = try Self.channel("sleep 60 & echo $! >pid; echo done; exit 0", in: folder)
        let began = ContinuousClock.now
        #expect(try await channel.deliver(Self.message) == "exit 0: \"done\"")
        #expect(ContinuousClock.now - began < .seconds(20))
        // It was left running, as its parent meant it to.
        #expect(Self.isAlive(folder.text("pid")))
        if let pid = pid_t(folder.text("pid").trimmingCharacters(in: .newlines)) { kill(pid, SIGKILL) }
    }

    @Test(arguments: [
        "sleep 60", "exec >&- 2>&-; sleep 60", "trap '' TERM; sleep 60 & while :; do wait; sleep 1; done",
        "trap 'exit 0' TERM; (trap '' TERM; echo $$ >x; while :; do sleep 1; done) & echo $! >child; wait",
        "python3 -c 'import signal,time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)' & echo $! >child; wait; wait",
    ])
    func `what hangs is killed in time, with all that it has started`(script: String) async throws {
        let folder = try TemporaryFolder()
        let channel = try Self.channel("echo $$ >pid; " + script, in: folder, timeout: .milliseconds(300))
        let began = ContinuousClock.now
        let error = try await Self.error(channel)
        #expect(ContinuousClock.now - began < .seconds(20))
        #expect(error.description == "run \(folder.path)/hook for hook: not done within 300ms, so it was killed")
        #expect(!error.isPermanent)
        for name in ["pid", "child"] where !folder.text(name).isEmpty {
            try await eventually("\(name) is gone") { !Self.isAlive(folder.text(name)) }
        }
    }

    @Test func `half a gigabyte of output is read and forgotten`() async throws {
        let folder = try TemporaryFolder()
        let channel = try Self.channel(
            "head -c 536870912 /dev/zero | tr '\\0' x; exit 3", in: folder, timeout: .seconds(120))
        let before = Self.residentKiB
        let error = try await Self.error(channel)
        #expect(error.description.contains("exit 3: \"xxx") && error.description.hasSuffix("x…\""))
        #expect(error.description.utf8.count < 500)
        // Other tests run meanwhile, and take memory of their own.
        #expect(Self.residentKiB - before < 256 << 10)
    }

    private static var residentKiB: Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
    }

    @Test func `cancelled, it kills and says so`() async throws {
        let folder = try TemporaryFolder()
        let channel = try Self.channel("echo $$ >pid; sleep 60", in: folder)
        let delivery = Task { try await channel.deliver(Self.message) }
        try await eventually("it runs") { !folder.text("pid").isEmpty }
        delivery.cancel()
        let error = await #expect(throws: DeliveryError.self) { try await delivery.value }
        #expect(error?.description.hasSuffix("stopped before it was done") == true)
        #expect(error?.isPermanent == false)
        try await eventually("it is gone") { !Self.isAlive(folder.text("pid")) }
    }

    // MARK: What cannot be started

    @Test(arguments: [
        ("/no/such/program", "no such file or directory (check the path)"), ("/tmp", "it is no file"),
        ("no-such-program-at-all", "there is no such program in PATH=/usr/bin:/bin"),
    ])
    func `a program that is not there`(program: String, cause: String) async throws {
        let channel = ExecChannel(
            name: "hook", command: [program], timeout: .seconds(10),
            environment: ChildEnvironment(["PATH": "/usr/bin:/bin"]))
        let error = try await Self.error(channel)
        #expect(error.description == "run \(program) for hook: \(cause)")
        #expect(error.isPermanent)
    }

    @Test(arguments: [
        (0o644, "#!/bin/sh\n", "it may not be run (chmod +x, and can this user read it?)"),
        (0o755, "#!/no/such/interpreter\n", "its interpreter is missing (see its first line, #!)"),
        (0o755, "echo no first line\n", "it is no program (does its first line begin with #! and an interpreter?)"),
    ])
    func `a file that is no program`(mode: Int, content: String, cause: String) async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(program: content, as: "hook", mode: mode)
        let channel = ExecChannel(
            name: "hook", command: [path], timeout: .seconds(10), environment: ChildEnvironment([:]))
        let error = try await Self.error(channel)
        #expect(error.description == "run \(path) for hook: \(cause)")
        #expect(error.isPermanent)
    }
}
