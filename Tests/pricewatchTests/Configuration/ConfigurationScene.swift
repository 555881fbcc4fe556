import Foundation

@testable import pricewatch

/// A computer of its own in a temporary folder: home, /etc, environment. Gone with the test.
final class ConfigurationScene {
    /// The keys of which a rule has one, in the order of the manual.
    static let conditions = ["above", "below", "outside", "rises", "falls", "moves", "new_high", "new_low", "stale"]

    let folder: String
    var host: HostEnvironment

    init() throws {
        folder = FileManager.default.temporaryDirectory.path + "/pricewatch-" + UUID().uuidString
        for name in ["home", "etc", "credentials"] {
            try FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
        }
        host = HostEnvironment(variables: [:], home: folder + "/home", isRoot: false)
        host.systemFile = folder + "/etc/pricewatch.yaml"
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    @discardableResult
    func write(_ text: String, to path: String) throws -> String {
        let url = URL(fileURLWithPath: "\(folder)/\(path)")
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: url, atomically: true, encoding: .utf8)
        return url.path
    }

    /// Reads `text` as a file beside `/etc` of this scene.
    func reading(
        _ text: String, sparesSecrets: Bool = false
    ) throws(ConfigurationError) -> ConfigurationReading {
        let file = ConfigurationFile(path: folder + "/etc/p.yaml", isOption: true)
        let reading = ConfigurationReading.parse(text, file: file, host, sparesSecrets: sparesSecrets)
        if !reading.faults.isEmpty { throw .faults(reading.faults) }
        return reading
    }

    /// The faults of `text`, with `p.yaml` for the file and `ETC` for the folder it lies in; empty: none.
    func faults(_ text: String) -> [String] {
        do {
            _ = try reading(text)
            return []
        } catch {
            return error.description.replacing(folder + "/etc/p.yaml:", with: "p.yaml:")
                .replacing(folder + "/etc", with: "ETC").replacing(folder, with: "SCENE")
                .split(separator: "\n").map(String.init)
        }
    }
}

/// What a file without anything but `text` says.
func configuration(_ text: String) throws -> Configuration {
    try ConfigurationScene().reading(text).configuration
}
