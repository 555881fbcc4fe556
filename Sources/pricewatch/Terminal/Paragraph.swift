/// Phrases side by side, broken into lines between them.
enum Paragraph {
    /// As few lines as hold all phrases; one that is longer than a line has one to itself.
    static func lines(_ phrases: [String], width: Int, between separator: String) -> [String] {
        var lines: [String] = []
        for phrase in phrases {
            if let last = lines.last, Table.width(last + separator + phrase) <= width {
                lines[lines.count - 1] = last + separator + phrase
            } else {
                lines.append(phrase)
            }
        }
        return lines
    }
}
