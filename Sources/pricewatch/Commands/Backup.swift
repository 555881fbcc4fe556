import ArgumentParser
import Foundation
import History
import Markets
import Views

struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "A consistent, checked copy of the history, also while the daemon runs.",
        discussion: """
            The copy holds everything but secrets. FILE is replaced as a whole once the copy is complete. To restore \
            it or to move, put it in place of the database while no daemon runs.
            """)

    @OptionGroup var installation: InstallationOptions
    @Argument(help: "Where the copy is to be; its folder must exist.", completion: .file())
    var file: String

    func run() async throws {
        let (_, reader) = try installation.openHistory()
        let bytes = try reader.backUp(to: file)
        StandardOutput.write(lines: ["\(SafeText.printable(file)): \(Bytes.text(bytes)), checked"])
    }
}
