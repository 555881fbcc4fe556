import Engine
import Foundation

/// Reads values that the configuration refers to: `KEY_file: PATH` and `KEY_env: NAME`.
struct ValueSource {
    /// The path of the configuration.
    let file: String
    let host: HostEnvironment
    let secrets: SecretReading

    enum Answer {
        case text(String, Configuration.Secret.Origin)
        case refused(String, Configuration.Secret.Origin)
    }

    func variable(_ name: String) -> Answer {
        let origin = Configuration.Secret.Origin.environment(name)
        guard let value = host.variables[name] else {
            return .refused("there is no environment variable \(name.printable)", origin)
        }
        return .text(value.withoutNewlineAtEnd, origin)
    }

    /// Reads a file. A relative path is looked up in systemd's credentials folder, then beside the configuration.
    func contents(of path: String) -> Answer {
        guard !path.isEmpty else { return .refused("the path is empty", .file(path)) }
        let candidates = candidates(for: path)
        for candidate in candidates {
            do {
                return .text(try BoundedFile.text(candidate).withoutNewlineAtEnd, .file(candidate))
            } catch {
                if error.cause == .absent { continue }
                return .refused("read \(candidate.printable): \(error.reason)", .file(candidate))
            }
        }
        let all = candidates.map(\.printable).joined(separator: ", nor ")
        return .refused("there is no file \(all)", .file(candidates[candidates.count - 1]))
    }

    private func candidates(for path: String) -> [String] {
        if path.hasPrefix("/") || path.hasPrefix("~/") { return [absolute(path)] }
        return (host["CREDENTIALS_DIRECTORY"].map { [$0 + "/" + path] } ?? []) + [absolute(path)]
    }

    /// Expands `~` to the user's home, and resolves relative paths beside the configuration.
    func absolute(_ path: String) -> String {
        if path.hasPrefix("/") { return path }
        if path.hasPrefix("~/") { return host.home + path.dropFirst(1) }
        let folder = URL(fileURLWithPath: file).standardizedFileURL.deletingLastPathComponent().path
        return folder == "/" ? folder + path : folder + "/" + path
    }
}

/// Whether secrets are needed. A user who may read prices may have no permission to read the keys.
enum SecretReading: Sendable {
    case needed, spared
}
