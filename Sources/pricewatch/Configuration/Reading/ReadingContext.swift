import Foundation
import Markets

/// A configuration while it is read: the faults found so far, and the files and variables that its values refer to.
final class ReadingContext {
    /// The path of the configuration.
    let file: String
    let host: HostEnvironment
    /// Whether secrets may be missing: a user who may read prices may have no permission to read the keys.
    let sparesSecrets: Bool
    /// `timezone`, once it is read.
    var zone = Zone.utc
    var faults: [ConfigurationFault] = []
    private var warnings: [ConfigurationFault] = []

    init(file: String, _ host: HostEnvironment, sparesSecrets: Bool) {
        self.file = file
        self.host = host
        self.sparesSecrets = sparesSecrets
    }

    func fault(_ position: FilePosition, _ path: String?, _ message: String) {
        faults.append(ConfigurationFault(position: position, keyPath: path, message: message))
    }

    func warn(_ position: FilePosition, _ path: String?, _ message: String) {
        warnings.append(ConfigurationFault(position: position, keyPath: path, message: message))
    }

    var faultsInOrder: [ConfigurationFault] { inOrder(faults) }
    var warningsInOrder: [ConfigurationFault] { inOrder(warnings) }

    /// Those of the configuration first, then those of the files that it names.
    private func inOrder(_ remarks: [ConfigurationFault]) -> [ConfigurationFault] {
        func rank(_ remark: ConfigurationFault) -> (Int, String, Int, Int) {
            let position = remark.position
            return (position.file == file ? 0 : 1, position.file, position.line, position.column)
        }
        return remarks.sorted { rank($0) < rank($1) }
    }

    // MARK: Values in files and variables

    /// The pair's value, or what `KEY_file` or `KEY_env` refers to.
    func resolved(_ pair: YAMLPair, _ key: String) throws(Unfit) -> YAMLValue {
        guard pair.key != key else { return pair.value }
        let isVariable = pair.key.hasSuffix("_env")
        guard let name = pair.value.text, !pair.value.isNull else {
            let expected = isVariable ? "the name of an environment variable" : "a path"
            throw Unfit(reason: "expected \(expected), found \(pair.value.kind)")
        }
        let (text, origin) = isVariable ? (try variable(name), "$" + name) : try contents(of: name)
        return pair.value.replaced(by: text.withoutNewlineAtEnd, from: origin)
    }

    private func variable(_ name: String) throws(Unfit) -> String {
        guard let value = host.variables[name] else {
            throw Unfit(reason: "there is no environment variable \(name.printable)")
        }
        return value
    }

    /// A relative path is looked up in systemd's credentials folder, then beside the configuration.
    private func contents(of path: String) throws(Unfit) -> (text: String, path: String) {
        guard !path.isEmpty else { throw Unfit(reason: "the path is empty") }
        let isRelative = !path.hasPrefix("/") && !path.hasPrefix("~/")
        let credentials = isRelative ? host["CREDENTIALS_DIRECTORY"].map { $0 + "/" + path } : nil
        let candidates = [credentials, absolute(path)].compactMap { $0 }
        for candidate in candidates {
            do throws(BoundedFile.Unreadable) {
                return (try BoundedFile.text(candidate), candidate)
            } catch {
                if error.isAbsent { continue }
                throw Unfit(reason: "read \(candidate.printable): \(error.reason)")
            }
        }
        throw Unfit(reason: "there is no file \(candidates.map(\.printable).joined(separator: ", nor "))")
    }

    /// Expands `~` to the user's home, and resolves relative paths beside the configuration.
    func absolute(_ path: String) -> String {
        if path.hasPrefix("/") { return path }
        if path.hasPrefix("~/") { return host.home + path.dropFirst(1) }
        let folder = URL(fileURLWithPath: file).standardizedFileURL.deletingLastPathComponent().path
        return folder == "/" ? folder + path : folder + "/" + path
    }
}

extension String {
    /// Editors and `echo` end a file with a newline that is not part of the value.
    var withoutNewlineAtEnd: String { last?.isNewline == true ? String(dropLast()) : self }
}
