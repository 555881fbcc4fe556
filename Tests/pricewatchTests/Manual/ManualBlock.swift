import ArgumentParser
import Foundation

@testable import pricewatch

extension ManualText.Block {
    /// The command lines of an `sh` or `crontab` block, without comments and without cron's five fields.
    var commands: [ManualText.Line] {
        lines.compactMap { line in
            let uncommented = line.text.components(separatedBy: " #")[0]
            let command = language == "crontab" ? uncommented.replacing(/^(\S+ ){5}/, with: "") : uncommented
            return command.isEmpty || command.hasPrefix("#") ? nil : ManualText.Line(place: line.place, text: command)
        }
    }

    /// A `yaml` block as a whole configuration: a list of rules is what stands under `alerts:`, and what the block
    /// leaves open comes from a small base.
    var configuration: String {
        let base = [
            "watch: {markets: [bitcoin]}", "history: {database: history.db}", "log: {file: pricewatch.log}",
            "status_file: status.json",
        ]
        let own = text.hasPrefix("- ") ? "alerts:\n" + lines.map { "  \($0.text)\n" }.joined() : text
        let keys = Set(own.matches(of: /(?m)^[a-z_]+:/).map { $0.output })
        return own + base.filter { !keys.contains($0.prefix { $0 != " " }) }.map { $0 + "\n" }.joined()
    }

    /// The files and environment variables that it takes secrets from, with their contents.
    var secrets: (files: [String: String], variables: [String: String]) {
        func contents(_ key: Substring) -> String {
            ["webhook", "slack", "discord", "ntfy", "url"].contains(key) ? "https://hooks.example.com/x" : "secret"
        }
        var secrets: (files: [String: String], variables: [String: String]) = ([:], [:])
        for found in text.matches(of: /([a-z]+)_file: ([A-Za-z0-9._-]+)/)
        where !["status", "metrics"].contains(found.output.1) {
            secrets.files[String(found.output.2)] = contents(found.output.1)
        }
        for found in text.matches(of: /([a-z]+)_env: ([A-Z_]+)/) {
            secrets.variables[String(found.output.2)] = contents(found.output.1)
        }
        return secrets
    }
}

/// The commands of the manual that no test runs. What they name must exist all the same.
enum NotRun {
    static let reasons = [
        "sudo": "needs root, and often systemd or the network", "make": "builds for minutes",
        "swift": "builds for minutes", "podman": "needs the image, which Tests/Package/container tries",
        "podman-compose": "needs the image", "tail -F": "does not end",
        "pricewatch simulate": "does not end",
        "pricewatch run": "does not end", "pricewatch status --watch": "does not end", "pricewatch web": "does not end",
        "pricewatch export verify": "needs an engine",
    ]

    /// nil: it is run.
    static func reason(_ command: String) -> String? {
        if command.contains("--once") || command.contains("--output") { return nil }
        return reasons.first { (command + " ").hasPrefix($0.key + " ") }?.value
    }

    /// What is wrong with the command; nil: nothing.
    static func fault(_ command: String) throws -> String? {
        var words = command.split(separator: " ").map(String.init)
        while let first = words.first, ["sudo", "-u"].contains(first) { words.removeFirst(first == "-u" ? 2 : 1) }
        guard let program = words.first else { return "no command" }
        let arguments = Array(words.dropFirst())
        switch program {
        case "make":
            let targets = try Project.text("Makefile").matches(of: /(?m)^([a-z][a-z-]*):/).map { String($0.output.1) }
            if let target = arguments.first(where: { !targets.contains($0) }) { return "no target \(target)" }
        case "pricewatch":
            do { _ = try Pricewatch.parseAsRoot(arguments) } catch { return Pricewatch.message(for: error) }
        case "systemctl":
            let verbs: Set = ["status", "reload", "restart", "edit", "stop", "start", "enable", "disable"]
            let words = arguments.filter { $0 != "--now" }
            guard words.count == 2, verbs.contains(words[0]),
                ["", ".service", ".socket"].contains(where: { Project.exists("systemd/\(words[1])\($0)") })
            else { return "not recognised: \(command)" }
        case "podman", "podman-compose":
            // What runs inside is a command of ours, too: the container's name, the program's path, its arguments.
            if words.contains("exec"), let inside = words.firstIndex(of: "pricewatch") {
                return try fault((["pricewatch"] + words[inside...].dropFirst(2)).joined(separator: " "))
            }
            let missing = arguments.first { $0.hasPrefix("etc/") && !Project.exists($0) }
            return missing.map { "no such file: \($0)" }
        case "apt", "install", "editor", "tail", "swift", "adduser", "rm": break
        default: return "not recognised: \(program)"
        }
        let unknown = try arguments.first { argument in
            guard argument.contains("/") else { return false }
            return try !exists(argument)
        }
        return unknown.map { "nothing of this name is installed: \($0)" }
    }

    /// Whether a path is in the tree, built, installed, or in one of the folders that are pricewatch's own.
    private static func exists(_ path: String) throws -> Bool {
        let path = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
        // The part before a `*`.
        let known = String(path.prefix { $0 != "*" })
        let layout = try ["Makefile", "etc/debian/build"].map { try Project.text($0) }.joined()
        return Project.exists(path) || FileManager.default.fileExists(atPath: path)
            || path.contains(/^\/(etc|var\/lib|var\/log|run)\/pricewatch\/[^\/]+$/) || path == "/usr/local/bin/"
            || layout.contains(known) || (known == ".build/package/pricewatch_" && layout.contains("/pricewatch_$"))
    }
}
