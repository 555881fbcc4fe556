import Foundation

/// A line of a block that no test can run: it needs root, a network, or hours. It must be recognised all the same.
struct ShellLine {
    private let place: ManualText.Place
    private var words: [String]

    /// nil for what is no command: a blank line, a comment.
    static func commands(of line: ManualText.Line) -> [ShellLine] {
        let text = line.text.split(separator: " #", maxSplits: 1).first.map(String.init) ?? ""
        guard !text.hasPrefix("#") else { return [] }
        return text.split(separator: "&&").compactMap { part in
            var words = part.split(separator: " ").map(String.init)
            while let first = words.first, first == "sudo" || first.contains(/^[A-Z_]+=/) || first == "-u" {
                words.removeFirst(first == "-u" ? 2 : 1)
            }
            return words.isEmpty ? nil : ShellLine(place: line.place, words: words)
        }
    }

    /// What is wrong with it; nil: nothing.
    ///
    /// - Parameter help: What `pricewatch help SUBCOMMAND` says; nil where there is no such command.
    func fault(_ world: World, help: (String) async throws -> String?) async throws -> ManualFault? {
        let arguments = Array(words.dropFirst())
        switch words[0] {
        case "make":
            for target in arguments where !target.contains("=") && !world.makeTargets.contains(target) {
                return fault("the Makefile has no target \(target)")
            }
        case "pricewatch":
            guard let command = arguments.first(where: { !$0.hasPrefix("-") }) else { return nil }
            guard let text = try await help(command) else { return fault("there is no command \(command)") }
            for option in arguments where option.hasPrefix("--") && !text.contains(option) {
                return fault("pricewatch \(command) has no option \(option)")
            }
        case "git":
            guard arguments.first == "clone", arguments.last?.hasPrefix("https://") == true else { break }
        case "systemctl", "journalctl":
            guard arguments.contains("pricewatch") else { return fault("about what unit?") }
            let verbs: Set = ["status", "reload", "restart", "edit", "stop", "start", "pricewatch", "-u", "-f"]
            for verb in arguments where !verbs.contains(verb) { return fault("unknown word \(verb)") }
        case "apt", "install", "editor", "tail", "cp", "rsvg-convert", "swift", "chmod", "cd", "crontab":
            break
        default: return fault("this command is not recognised: \(words[0])")
        }
        for path in arguments where path.contains("/") && !path.contains("://") && !world.knows(path) {
            return fault("nothing of this name is in the tree, built, or installed: \(path)")
        }
        return nil
    }

    private func fault(_ message: String) -> ManualFault { ManualFault(place: place, message: message) }

    /// What a command line may name.
    struct World {
        let makeTargets: Set<String>
        private let layout: String

        init() throws {
            let makefile = try Project.text("Makefile")
            makeTargets = Set(
                makefile.split(separator: "\n").compactMap { line in
                    line.firstMatch(of: /^([a-z][a-z-]*):/).map { String($0.output.1) }
                })
            layout = try [
                "Makefile", "etc/install/install", "etc/debian/build", "systemd/pricewatch.service",
                "etc/pricewatch.yaml",
                "etc/install/logrotate", "Sources/pricewatch/Configuration/Finding/ConfigurationFile.swift",
            ].map { try Project.text($0) }.joined()
        }

        func knows(_ path: String) -> Bool {
            let path = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
            if Project.exists(path) || ["/usr/local/bin/", "~/"].contains(path) { return true }
            // The part before a `*`, and without the prefix that the layout has in a variable.
            let known = String(path.prefix { $0 != "*" })
            let folder = (known as NSString).deletingLastPathComponent
            return layout.contains(known) || layout.contains(known.replacing("/usr/", with: "$DESTDIR$PREFIX/"))
                || (known.hasSuffix("_") && layout.contains(folder)
                    && layout.contains((known as NSString).lastPathComponent))
        }
    }
}
