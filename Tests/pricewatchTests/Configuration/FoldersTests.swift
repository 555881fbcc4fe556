import Testing

@testable import pricewatch

@Suite struct FoldersTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var variables: [String: String] = [:]
        var root = false
        var system = false
        var state: String
        var log: String
        var runtime: String
        var testDescription: String { "\(variables) root: \(root) system: \(system)" }
    }

    @Test(arguments: [
        Row(
            state: "/home/anna/.local/state/pricewatch", log: "/home/anna/.local/state/pricewatch",
            runtime: "/home/anna/.local/state/pricewatch"),
        Row(
            variables: ["XDG_RUNTIME_DIR": "/run/user/1000"], state: "/home/anna/.local/state/pricewatch",
            log: "/home/anna/.local/state/pricewatch", runtime: "/run/user/1000/pricewatch"),
        Row(root: true, state: "/var/lib/pricewatch", log: "/var/log/pricewatch", runtime: "/run/pricewatch"),
        Row(
            variables: ["XDG_RUNTIME_DIR": "/run/user/0"], system: true, state: "/var/lib/pricewatch",
            log: "/var/log/pricewatch", runtime: "/run/pricewatch"),
        Row(
            variables: ["STATE_DIRECTORY": "/s:/s2", "LOGS_DIRECTORY": "/l", "RUNTIME_DIRECTORY": "/r"], root: true,
            state: "/s", log: "/l", runtime: "/r"),
        Row(
            variables: ["STATE_DIRECTORY": "/home/anna/.local/state/p", "XDG_RUNTIME_DIR": ""],
            state: "/home/anna/.local/state/p", log: "/home/anna/.local/state/p", runtime: "/home/anna/.local/state/p"),
    ])
    func `where things are written`(row: Row) {
        let host = HostEnvironment(variables: row.variables, home: "/home/anna", isRoot: row.root)
        let folders = DefaultFolders(host, usesSystemFile: row.system)
        #expect(folders.state == row.state)
        #expect(folders.log == row.log)
        #expect(folders.runtime == row.runtime)
    }
}
