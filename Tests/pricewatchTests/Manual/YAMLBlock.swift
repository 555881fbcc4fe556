import Foundation

/// A block of configuration, made into a whole file: what it leaves open comes from a small base, and a list of rules
/// is what stands under `alerts:`.
struct YAMLBlock {
    let place: ManualText.Place
    let text: String

    private static let base = [
        ("watch", "watch: {markets: [bitcoin]}"),
        ("history", "history: {database: history.db}"),
        ("log", "log: {file: pricewatch.log}"),
        ("status_file", "status_file: status.json"),
    ]

    init(_ block: ManualText.Block) {
        place = block.place
        var own = block.text
        if own.hasPrefix("- ") {
            own = "alerts:\n" + block.lines.map { "  \($0.text)\n" }.joined()
        }
        let keys = Set(own.matches(of: /(?m)^([a-z_]+):/).map { String($0.output.1) })
        text = own + Self.base.filter { !keys.contains($0.0) }.map { $0.1 + "\n" }.joined()
    }

    /// Files that it takes secrets from, with what stands in them.
    var files: [(name: String, text: String)] {
        text.matches(of: /([a-z]+)_file: ([A-Za-z0-9._-]+)/).filter { !["status", "metrics"].contains($0.output.1) }
            .map { (String($0.output.2), Self.secret($0.output.1)) }
    }

    /// Environment variables, likewise.
    var environment: [String: String] {
        let found = text.matches(of: /([a-z]+)_env: ([A-Z_]+)/).map { (String($0.output.2), Self.secret($0.output.1)) }
        return Dictionary(found, uniquingKeysWith: { $1 })
    }

    private static func secret(_ key: Substring) -> String {
        ["webhook", "slack", "discord", "ntfy", "url"].contains(key) ? "https://hooks.example.com/x" : "secret"
    }

    /// What `pricewatch check` has against it, with the place in the manual.
    func faults() async throws -> [ManualFault] {
        let folder = try TemporaryFolder()
        let file = folder.write(text, as: "pricewatch.yaml")
        for (name, text) in files { _ = folder.write(text, as: name) }
        let ending = try await Program.start(["check", "--config", file], environment: environment).ended()
        // A fragment need not have a channel, programs are the reader's, and a standby feed may be asked less often.
        let expected = ["no channel is configured", "no such file or directory", "if it served a whole month"]
        let warnings = ending.output.split(separator: "\n").filter { line in
            line.hasPrefix("warning: ") && !expected.contains { line.contains($0) }
        }
        let said = (ending.errors.split(separator: "\n") + warnings).map(String.init)
        if said.isEmpty, ending.exit != 0 { return [ManualFault(place: place, message: "check: \(ending.exit)")] }
        return said.map { ManualFault(place: place, message: $0.replacing(folder.path + "/", with: "")) }
    }
}
