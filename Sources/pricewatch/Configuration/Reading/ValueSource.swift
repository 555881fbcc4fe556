import Engine
import Foundation

/// Where values stand that the configuration only points to: `KEY_file: PATH` and `KEY_env: NAME`.
struct ValueSource {
    /// The configuration.
    let file: String
    let host: HostEnvironment
    let secrets: ConfigurationReading.Secrets

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

    /// A relative path is looked up where systemd keeps credentials, then beside the configuration.
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

    /// `~` is the user's home, anything relative lies beside the configuration.
    func absolute(_ path: String) -> String {
        if path.hasPrefix("/") { return path }
        if path.hasPrefix("~/") { return host.home + path.dropFirst(1) }
        let folder = URL(fileURLWithPath: file).standardizedFileURL.deletingLastPathComponent().path
        return folder == "/" ? folder + path : folder + "/" + path
    }
}
