import Foundation

/// A Markdown file of the project, in the pieces that can be tried.
struct ManualText {
    let name: String
    private(set) var blocks: [Block] = []
    private(set) var tables: [Table] = []
    private(set) var headings: [String] = []
    /// What is neither block nor heading.
    private(set) var prose: [Line] = []

    struct Line {
        /// `README.md:12`
        var place: String
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
        var place: String
        var lines: [Line] = []

        var text: String { lines.map { $0.text + "\n" }.joined() }
    }

    struct Table {
        var header: [String]
        var rows: [Row] = []

        struct Row {
            var place: String
            var cells: [String]

            /// What a cell has in backticks.
            func codes(in cell: Int) -> [String] { cells[cell].inBackticks }
        }
    }

    init(_ name: String, _ text: String) {
        self.name = name
        var isOpen = false
        for (index, text) in text.components(separatedBy: "\n").enumerated() {
            let line = Line(place: "\(name):\(index + 1)", text: text)
            if text.hasPrefix("```") {
                isOpen.toggle()
                guard isOpen else { continue }
                let words = text.dropFirst(3).components(separatedBy: " ")
                blocks.append(
                    Block(
                        language: words[0], words: Array(words.dropFirst()), heading: headings.last ?? "",
                        place: line.place))
            } else if isOpen {
                blocks[blocks.count - 1].lines.append(line)
            } else if text.hasPrefix("#") {
                headings.append(text.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces))
            } else {
                if text.hasPrefix("|---") {
                    tables.append(Table(header: prose.last.map { Self.cells($0.text) } ?? []))
                } else if text.hasPrefix("|"), prose.last?.text.hasPrefix("|") == true {
                    tables[tables.count - 1].rows.append(.init(place: line.place, cells: Self.cells(text)))
                }
                prose.append(line)
            }
        }
    }

    /// A file of the project.
    init(named name: String) throws { self.init(name, try Project.text(name)) }

    /// The README and the chapters that it lists, in its order.
    static func all() throws -> [ManualText] {
        let readme = try ManualText(named: "README.md")
        let chapters = readme.tables.first { $0.header.first == "chapter" }?.rows ?? []
        return try [readme]
            + chapters.compactMap { row in
                try row.cells[0].firstMatch(of: /\]\((.+)\)/).map { try ManualText(named: String($0.output.1)) }
            }
    }

    /// Everything in backticks, in prose and tables.
    var codeSpans: [Line] {
        prose.flatMap { line in line.text.inBackticks.map { Line(place: line.place, text: $0) } }
    }

    /// Where links and pictures lead.
    var links: [Line] {
        prose.flatMap { line in
            line.text.matches(of: /\]\(([^)]+)\)/).map { Line(place: line.place, text: String($0.output.1)) }
        }
    }

    /// As GitHub makes them of headings.
    var anchors: [String] {
        headings.map { heading in
            String(
                heading.lowercased().compactMap {
                    $0 == " " ? "-" : $0.isLetter || $0.isNumber || "-_".contains($0) ? $0 : nil
                })
        }
    }

    private static func cells(_ row: String) -> [String] {
        // A bar inside a cell is written with a backslash.
        row.replacing("\\|", with: "\u{0}").split(separator: "|", omittingEmptySubsequences: false).dropFirst()
            .dropLast().map { $0.replacing("\u{0}", with: "|").trimmingCharacters(in: .whitespaces) }
    }
}

extension String {
    fileprivate var inBackticks: [String] {
        components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
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

    /// The Swift files below a folder, with their contents.
    static func sources(_ folder: String) throws -> [(path: String, text: String)] {
        let base = root.appendingPathComponent(folder)
        let names = FileManager.default.enumerator(atPath: base.path)?.compactMap { $0 as? String } ?? []
        return try names.filter { $0.hasSuffix(".swift") }.sorted().map {
            ("\(folder)/\($0)", try String(contentsOf: base.appendingPathComponent($0), encoding: .utf8))
        }
    }
}
