import Foundation

/// The output of a command as a manual shows it, beside what the command says today.
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

    /// nil where they agree; else where they part.
    func fault(_ expected: [ManualText.Line], at place: ManualText.Place, against actual: String) -> ManualFault? {
        let said = actual.split(separator: "\n", omittingEmptySubsequences: false).map { normalised(String($0)) }
        let shown = expected.map { ($0.place, normalised($0.text)) }
        let lines = Array(said.last == "" ? said.dropLast() : said[...])
        var furthest = (shown: 0, said: 0)
        if matches(shown.map(\.1)[...], lines[...], &furthest) { return nil }
        let found = furthest.said < lines.count ? "\"\(lines[furthest.said])\"" : "the end"
        guard furthest.shown < shown.count else {
            return ManualFault(place: shown.last?.0 ?? place, message: "the output goes on with \(found)")
        }
        return ManualFault(
            place: shown[furthest.shown].0, message: "expected \"\(shown[furthest.shown].1)\", found \(found)")
    }

    private func matches(
        _ shown: ArraySlice<String>, _ said: ArraySlice<String>, _ furthest: inout (shown: Int, said: Int)
    ) -> Bool {
        if shown.startIndex > furthest.shown { furthest = (shown.startIndex, said.startIndex) }
        guard let first = shown.first else {
            if shown.startIndex == furthest.shown { furthest.said = said.startIndex }
            return said.isEmpty
        }
        if first == "…" {
            return (said.startIndex...said.endIndex).contains { matches(shown.dropFirst(), said[$0...], &furthest) }
        }
        guard let line = said.first else { return false }
        let fits = first.hasSuffix("…") ? line.hasPrefix(first.dropLast().trimmed) : line == first
        return fits && matches(shown.dropFirst(), said.dropFirst(), &furthest)
    }

    func normalised(_ line: String) -> String {
        var text = line
        for name in names { text = text.replacing(name.actual, with: name.shown) }
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
