import Foundation

/// The output of a command as the manual shows it, beside what the command says today.
///
/// What differs from run to run counts for nothing, by these rules:
/// - every number, time and hexadecimal id is `N`, a unit of time behind a number's blank is `s`
/// - the strokes of a chart are one `~` a line, a row of times counts once, and so do blanks
/// - `…` ends a line that goes on, and alone it stands for any number of lines
struct ShownOutput {
    /// What no two machines have in common, and what the manual calls it.
    var names: [(actual: String, shown: String)] = []
    /// Where nothing differs from run to run, numbers and blanks count, too.
    var isExact = false

    /// nil where they agree; else the first line of the manual that differs, and why.
    func fault(_ shown: some Collection<ManualText.Line>, against actual: String) -> String? {
        var said = actual.components(separatedBy: "\n").map(normalised)[...]
        if said.last == "" { said.removeLast() }
        var skips = false
        var place = ""
        for line in shown {
            place = line.place
            let wanted = normalised(line.text)
            if wanted == "…" {
                skips = true
                continue
            }
            func fits(_ line: String) -> Bool {
                wanted.hasSuffix("…") ? line.hasPrefix(wanted.dropLast().trimmed) : line == wanted
            }
            guard
                let index = skips ? said.firstIndex(where: fits) : said.first.map(fits) == true ? said.startIndex : nil
            else {
                let found = said.first.map { "\"\($0)\"" } ?? "the end"
                return "\(line.place): expected \"\(wanted)\", found \(found)"
            }
            said = said[(index + 1)...]
            skips = false
        }
        return skips ? nil : said.first.map { "\(place): the output goes on with \"\($0)\"" }
    }

    func renamed(_ text: String) -> String { names.reduce(text) { $0.replacing($1.actual, with: $1.shown) } }

    func normalised(_ line: String) -> String {
        var text = renamed(line)
        if isExact { return text }
        // Braille and blocks, and an axis with its marks.
        text = text.replacing(
            /[\u{2800}-\u{28FF}\u{2580}-\u{259F}](.*[\u{2800}-\u{28FF}\u{2580}-\u{259F}])?/, with: "~")
        text = text.replacing(/[─┬▲▼○]{2,}/, with: "~")
        text = text.replacing(/\b[0-9a-f]{8,}\b/, with: "N")
        text = text.replacing(/[-+−]?\d[\d.,]*\d|[-+−]?\d/, with: "N")
        text = text.replacing(/N (ms|s|min|h|d)\b/, with: "N s")
        text = text.replacing(/[ \t]+/, with: " ")
        text = text.replacing(/^ ?(N:N(:N)?|[A-Z][a-z][a-z] N)( N:N(:N)?| [A-Z][a-z][a-z] N)+ ?$/, with: "N:N")
        return text.trimmed
    }
}

extension StringProtocol {
    fileprivate var trimmed: String { trimmingCharacters(in: .whitespaces) }
}
