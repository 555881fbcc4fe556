import ArgumentParser
import Foundation
import HTTP
import Markets
import UnixSignals
import Views

struct Web: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "web",
        abstract: "A read-only page for a browser: prices, charts, alerts and the daemon's state.",
        discussion: """
            A process of its own, beside the daemon or without one. It prints its address first and serves until \
            Ctrl-C. Authentication is a reverse proxy's; see docs/web.md.
            """)

    @OptionGroup var installation: InstallationOptions
    @Option(
        help: ArgumentHelp(
            "Where to listen: an address of this machine with a port (0: a free one), or unix:/path. Else systemd's "
                + "socket, else 127.0.0.1:8486.", valueName: "address"))
    var listen: String?
    @Option(
        name: .customLong("allow-host"),
        help: ArgumentHelp(
            "A host name under which the page may be asked for, besides localhost; needed where other machines can "
                + "reach it.", valueName: "name"))
    var allowedHosts: [String] = []
    @Option(help: "Write the pages to this folder instead, and end.", completion: .directory)
    var output: String?

    /// How long a process that systemd has started for a request waits for the next one.
    private static let idleTime = Duration.minutes(5)

    func validate() throws {
        if let listen {
            guard let address = ListenAddress(listen) else {
                throw ValidationError(
                    "'\(SafeText.printable(listen))' is no address: write 127.0.0.1:8486, [::1]:8486 or unix:/path")
            }
            if address.isPublic, allowedHosts.isEmpty {
                throw ValidationError(
                    "other machines can reach \(SafeText.printable(listen)): name the host that they ask for with --allow-host"
                )
            }
            if output != nil { throw ValidationError("use either --listen or --output") }
        }
        for name in allowedHosts {
            guard let host = HostName(name), host.port == nil else {
                throw ValidationError("'\(SafeText.printable(name))' is no host name: write prices.example.com")
            }
        }
    }

    func run() async throws {
        let configuration = try installation.readForRecords().configuration
        if let output {
            let count = try WrittenSite(folder: output).write(SiteDocuments(configuration, now: Date()))
            return StandardOutput.write(lines: ["\(SafeText.printable(output))/index.html: \(count) files"])
        }
        let inherited = listen == nil ? ListenAddress.inherited(ProcessInfo.processInfo.environment) : nil
        let address = listen.flatMap(ListenAddress.init) ?? inherited ?? .standard
        IdleMemory.returnFreed()
        let site = Site(
            configuration, path: installation.configurationPath,
            hosts: AllowedHosts(allowedHosts.compactMap(HostName.init)))
        let idle = IdleTimer(site)
        let stops = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        let server: HTTPServer
        do {
            server = try await HTTPServer.start(on: address.address) { request in
                let reply = await site.reply(to: request)
                await idle.start()
                return reply
            }
        } catch {
            throw CommandError(
                "listen on \(SafeText.printable(listen ?? "127.0.0.1:8486")): \(error)", Exit.inputOutput)
        }
        // What only the start needed.
        IdleMemory.giveBack(at: SystemTime().uptime())
        StandardOutput.write(lines: [address.url(port: server.port)])
        await idle.start()
        await withTaskGroup { group in
            group.addTask { for await _ in stops { break } }
            if inherited != nil { group.addTask { try? await server.waitUntilIdle(for: Self.idleTime) } }
            await group.next()
            group.cancelAll()
        }
        await server.stop()
    }
}

/// Closes the history and returns memory some time after a request. It sleeps while nobody looks.
private actor IdleTimer {
    private let site: Site
    private let time = SystemTime()
    private var isRunning = false
    /// When it did so last.
    private var last: Duration?

    private static let pause = Duration.seconds(2)

    init(_ site: Site) { self.site = site }

    func start() {
        if isRunning { return }
        isRunning = true
        let next = last.map { $0 + IdleMemory.interval - time.uptime() } ?? .zero
        Task {
            try? await Task.sleep(for: max(Self.pause, next))
            await site.forget()
            IdleMemory.giveBack(at: time.uptime())
            last = time.uptime()
            isRunning = false
        }
    }
}
