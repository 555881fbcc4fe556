import Foundation

/// What a terminal shows, as a picture.
enum TerminalPicture {
    private static let columnWidth = 8.4
    private static let lineHeight = 20

    /// - Parameter screen: Lines with escape sequences for colours.
    static func svg(of screen: String) -> String {
        let lines = screen.replacing("\r\n", with: "\n").components(separatedBy: "\n")
        let widths = lines.map { Int(Double($0.replacing(/\u{1B}\[\d+m/, with: "").count) * columnWidth) }
        let (width, height) = ((widths.max() ?? 0) + 32, lines.count * lineHeight + 8)
        let texts = lines.indices.filter { lines[$0] != "" }.map { index in
            let text = lines[index].replacing("&", with: "&amp;").replacing("<", with: "&lt;")
                .replacing(/\u{1B}\[([1-9]\d?)m/) { "<tspan class=\"c\($0.output.1)\">" }
                .replacing("\u{1B}[0m", with: "</tspan>")
            return "<text x=\"16\" y=\"\((index + 1) * lineHeight + 8)\" textLength=\"\(widths[index])\">\(text)</text>"
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" width="\(width)" height="\(height)" xml:space="preserve">
            <style>
            text { font: 14px "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: #e6edf3; white-space: pre }
            .c31 { fill: #ff7b72 } .c32 { fill: #56d364 } .c33 { fill: #e3b341 } .c2 { fill: #8b949e } .c1 { font-weight: 600 }
            </style>
            <rect width="\(width)" height="\(height)" rx="8" fill="#0d1117"/>
            \(texts.joined(separator: "\n"))
            </svg>

            """
    }
}
