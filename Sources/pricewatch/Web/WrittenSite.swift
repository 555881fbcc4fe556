import Foundation
import History
import Markets
import Views

/// The pages as files of a folder.
struct WrittenSite {
    let folder: String

    /// Writes every page; the first one last, when all that it links to are there. Each file is replaced as a whole.
    ///
    /// - Returns: How many files there are.
    func write(_ documents: SiteDocuments) throws -> Int {
        var routes: [Route] = [.stylesheet, .statusJSON, .feed, .alerts(), .status]
        routes += documents.markets.flatMap { market in ChartWindow.allCases.map { .market(market, $0) } }
        var count = 0
        for route in routes + [.markets()] {
            guard let file = route.file else { continue }
            let links = PageLinks(files: file.contains("/") ? "../" : "")
            guard let document = try documents.document(route, links) else { continue }
            try write(document.bytes, as: file)
            count += 1
        }
        return count
    }

    private func write(_ bytes: [UInt8], as name: String) throws {
        let file = AtomicFile(path: "\(folder)/\(name)")
        do throws(FileFault) {
            try file.makeFolder()
            try file.replace(with: bytes)
        } catch {
            throw CommandError("\(error)", Exit.inputOutput)
        }
    }
}
