import ArgumentParser
import Foundation
import History
import Markets
import Views

struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "A consistent, checked copy of the history, also while the daemon runs.",
        discussion: """
            The copy holds everything but secrets. FILE is replaced as a whole once the copy is complete. To put it \
            back or to move: pricewatch restore.
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

struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Puts a backup in the database's place, while no daemon runs.",
        discussion: """
            FILE is checked first. The database that it replaces is kept under a dated name. Where that one can still \
            be read and is of the same history, its alerts, silences and unsent messages go on, so that nothing is \
            announced twice.
            """)

    @OptionGroup var installation: InstallationOptions
    @Argument(help: "A copy that pricewatch backup made.", completion: .file())
    var file: String

    func run() async throws {
        let configuration = try installation.readForRecords().configuration
        let database = configuration.history.database
        let restored = try HistoryReader.restore(file, to: database)
        let newest = restored.newest.map { ", the newest of \(configuration.zone.text($0))" } ?? ""
        var lines = [
            "\(SafeText.printable(database)): restored from \(SafeText.printable(file)), "
                + "\(restored.samples.counted("sample"))\(newest)"
        ]
        if let replaced = restored.replaced {
            lines.append("the database before it is kept as \(SafeText.printable(replaced))")
        }
        if restored.replacesOtherHistory {
            lines.append("it is another history: no poll and no alert event of it is in the backup")
        }
        if restored.continuesStates {
            lines.append("alerts, silences and unsent messages are those of the database before it")
        }
        if restored.droppedMessages > 0 {
            lines.append(
                "\(restored.droppedMessages.counted("queued message")) of the backup will not be sent: they may have been "
                    + "sent since")
        }
        StandardOutput.write(lines: lines)
    }
}
