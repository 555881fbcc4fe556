/// What the program says of its own commands.
enum CommandHelp {
    /// nil where there is no such command.
    static func text(of command: String) async throws -> String? {
        let ending = try await Program.run("help", command)
        return ending.exit == 0 ? ending.output : nil
    }

    /// The commands' names.
    static func all() async throws -> [String] {
        let lines = try await Program.run("--help").output.split(separator: "\n")
        guard let start = lines.firstIndex(of: "SUBCOMMANDS:") else { return [] }
        return lines[(start + 1)...].compactMap { line in
            line.firstMatch(of: /^[ ]{2}([a-z][a-z-]*)\s/).map { String($0.output.1) }
        }
    }

    /// The options of a command, but for those that every command has.
    static func options(in help: String) -> Set<String> {
        let usage = help.split(separator: "\n").drop { !$0.hasPrefix("USAGE:") }.prefix {
            !$0.hasPrefix("ARGUMENTS:") && !$0.hasPrefix("OPTIONS:")
        }
        let found = usage.joined().matches(of: /--[a-z-]+/).map { String($0.output) }
        return Set(found).subtracting(["--config", "--help", "--version"])
    }
}
