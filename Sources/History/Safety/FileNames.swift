import Foundation
import Markets

enum FileNames {
    /// `history.db.damaged-20261121T100000Z` for the mark `.damaged-`, with a number behind it where that is taken, also
    /// by the files of a log.
    static func unused(_ path: String, mark: String) -> String {
        let stamp = String(Date().utcText.filter { $0 != "-" && $0 != ":" })
        var name = path + mark + stamp
        var number = 2
        while ["", "-wal", "-shm"].contains(where: { FileManager.default.fileExists(atPath: name + $0) }) {
            name = "\(path)\(mark)\(stamp)-\(number)"
            number += 1
        }
        return name
    }
}
