import Foundation

/// A Markdown file of the project, in the pieces that can be tried.
struct ManualText {
    let name: String
    private(set) var blocks: [Block] = []
    private(set) var tables: [Table] = []
    private(set) var headings: [String] = []
    /// What is neither block nor table.
    private(set) var prose: [Line] = []

    struct Place: Hashable, CustomStringConvertible {
        var file: String
        var line: Int
        var description: String { "\(file):\(line)" }
    }

    struct Line: Hashable {
        var place: Place
        var text: String
    }

    /// A fenced block.
    struct Block {
        /// The first word behind the fence.
        var language: String
        /// What else stands there.
        var words: [String]
        /// The heading above it, without its marks.
        var heading: String
        var place: Place
        var lines: [Line] = []

        var text: String { lines.map { $0.text + "\n" }.joined() }
    }

    struct Table {
        var heading: String
        var header: [String]
        var rows: [Row] = []

        struct Row {
            var place: Place
            var cells: [String]
        }
    }

    init(_ name: String, _ text: String) {
        self.name = name
        var open: Block?
        var wasTable = false
        for (index, raw) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let line = Line(place: Place(file: name, line: index + 1), text: String(raw))
            if raw.hasPrefix("```") {
                if let block = open {
                    blocks.append(block)
                    open = nil
                } else {
                    let words = raw.dropFirst(3).split(separator: " ").map(String.init)
                    open = Block(
                        language: words.first ?? "", words: Array(words.dropFirst()), heading: headings.last ?? "",
                        place: line.place)
                }
            } else if open != nil {
                open?.lines.append(line)
            } else if raw.hasPrefix("|") {
                if !wasTable { tables.append(Table(heading: headings.last ?? "", header: Self.cells(line.text))) }
                if wasTable, !raw.hasPrefix("|---") {
                    tables[tables.count - 1].rows.append(.init(place: line.place, cells: Self.cells(line.text)))
                }
            } else if raw.hasPrefix("#") {
                headings.append(raw.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces))
            } else {
                prose.append(line)
            }
            wasTable = open == nil && raw.hasPrefix("|")
        }
    }

    /// A file at the project's root.
    init(named name: String) throws {
        self.init(name, try String(contentsOf: Project.root.appendingPathComponent(name), encoding: .utf8))
    }

    /// Everything in backticks, in prose and tables.
    var codeSpans: [Line] {
        let cells = tables.flatMap(\.rows).flatMap { row in row.cells.map { Line(place: row.place, text: $0) } }
        return (prose + cells).flatMap { line in
            line.text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
                .filter { $0.offset % 2 == 1 }.map { Line(place: line.place, text: String($0.element)) }
        }
    }

    private static func cells(_ row: String) -> [String] {
        // A bar inside a cell is written with a backslash.
        row.replacing("\\|", with: "\u{0}").split(separator: "|", omittingEmptySubsequences: false).dropFirst()
            .dropLast().map { $0.replacing("\u{0}", with: "|").trimmingCharacters(in: .whitespaces) }
    }
}

/// The tree that these tests were built from.
enum Project {
    static let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../..").standardizedFileURL

    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appendingPathComponent(path).path)
    }

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    /// The Swift files below a folder, with what stands in them.
    static func sources(_ folder: String) throws -> [(path: String, text: String)] {
        let base = root.appendingPathComponent(folder)
        let names = FileManager.default.enumerator(atPath: base.path)?.compactMap { $0 as? String } ?? []
        return try names.filter { $0.hasSuffix(".swift") }.sorted().map {
            ("\(folder)/\($0)", try String(contentsOf: base.appendingPathComponent($0), encoding: .utf8))
        }
    }
}

/// What a manual says and the program does not.
struct ManualFault: Error, Hashable, CustomStringConvertible {
    var place: ManualText.Place
    var message: String
    var description: String { "\(place): \(message)" }
}
