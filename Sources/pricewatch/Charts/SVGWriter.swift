import Foundation
import Markets

/// Writes the shapes of charts as SVG; all text is escaped.
struct SVGWriter {
    typealias Point = (x: Double, y: Double)

    private var body: String

    /// Light by default: not every viewer supports colour schemes.
    private static let style = """
        text { font-family: system-ui, -apple-system, "Segoe UI", "DejaVu Sans", Roboto, sans-serif; fill: #1f2328 }
        .title { font-size: 18px; font-weight: 600 }
        .fact { font-size: 13px; fill: #59636e }
        .label { font-size: 12px; fill: #59636e }
        .end { text-anchor: end }
        .middle { text-anchor: middle }
        .paper { fill: #ffffff }
        .grid { stroke: #e2e6ea }
        .axis { stroke: #818b98 }
        .gap { fill: #eaeef2 }
        .price { fill: none; stroke: #0969da; stroke-width: 1.6; stroke-linejoin: round; stroke-linecap: round }
        .dot { fill: #0969da }
        .range { fill: #54aeff; fill-opacity: 0.45; stroke: #54aeff; stroke-opacity: 0.45 }
        .firing { fill: #d1242f; stroke: #ffffff }
        .resolved { fill: #ffffff; stroke: #1a7f37; stroke-width: 2 }
        @media (prefers-color-scheme: dark) {
        text { fill: #f0f6fc }
        .fact, .label { fill: #9198a1 }
        .paper { fill: #0d1117 }
        .grid { stroke: #262c36 }
        .axis { stroke: #656c76 }
        .gap { fill: #1c222b }
        .price { stroke: #58a6ff }
        .dot { fill: #58a6ff }
        .range { fill: #388bfd; stroke: #388bfd }
        .firing { fill: #ff7b72; stroke: #0d1117 }
        .resolved { fill: #0d1117; stroke: #3fb950 }
        }
        """

    /// - Parameter title: Text for screen readers.
    init(width: Double, height: Double, title: String) {
        let (width, height) = (Self.number(width), Self.number(height))
        body = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" width="\(width)" \
            height="\(height)" role="img">
            <title>\(Self.escaped(title))</title>
            <style>
            \(Self.style)
            </style>
            <rect class="paper" width="\(width)" height="\(height)"/>

            """
    }

    var finished: String { body + "</svg>\n" }

    mutating func text(_ x: Double, _ y: Double, _ text: String, _ style: String) {
        element("text", "x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" class=\"\(style)\"", Self.escaped(text))
    }

    mutating func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ style: String) {
        let ends = zip(["x1", "y1", "x2", "y2"], [x1, y1, x2, y2]).map { "\($0)=\"\(Self.number($1))\"" }
        element("line", ends.joined(separator: " ") + " class=\"\(style)\"")
    }

    mutating func rectangle(
        _ x: Double, _ y: Double, _ width: Double, _ height: Double, _ style: String, tip: String? = nil
    ) {
        let sides = zip(["x", "y", "width", "height"], [x, y, width, height]).map { "\($0)=\"\(Self.number($1))\"" }
        element("rect", sides.joined(separator: " ") + " class=\"\(style)\"", Self.title(tip))
    }

    mutating func circle(_ x: Double, _ y: Double, _ radius: Double, _ style: String, tip: String? = nil) {
        element(
            "circle",
            "cx=\"\(Self.number(x))\" cy=\"\(Self.number(y))\" r=\"\(Self.number(radius))\" class=\"\(style)\"",
            Self.title(tip))
    }

    mutating func path(_ points: [Point], closed: Bool, _ style: String) {
        let places = points.map { "\(Self.number($0.x)),\(Self.number($0.y))" }
        element("path", "d=\"M\(places.joined(separator: "L"))\(closed ? "Z" : "")\" class=\"\(style)\"")
    }

    mutating func shape(_ points: [Point], _ style: String, tip: String? = nil) {
        let places = points.map { "\(Self.number($0.x)),\(Self.number($0.y))" }
        element("polygon", "points=\"\(places.joined(separator: " "))\" class=\"\(style)\"", Self.title(tip))
    }

    private mutating func element(_ name: String, _ attributes: String, _ content: String = "") {
        body += content.isEmpty ? "<\(name) \(attributes)/>\n" : "<\(name) \(attributes)>\(content)</\(name)>\n"
    }

    private static func title(_ tip: String?) -> String { tip.map { "<title>\(escaped($0))</title>" } ?? "" }

    /// A coordinate, rounded to a tenth of a pixel.
    private static func number(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        let (whole, part) = tenths.magnitude.quotientAndRemainder(dividingBy: 10)
        return (tenths < 0 ? "-" : "") + (part == 0 ? "\(whole)" : "\(whole).\(part)")
    }

    /// Keeps line breaks; other control characters, which XML forbids even escaped, become text such as `\u001b`.
    private static func escaped(_ text: String) -> String {
        text.replacingScalars { scalar in
            switch scalar {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            case "\"": "&quot;"
            case "\n": nil
            default: scalar.isUnprintable ? SafeText.escape(scalar) : nil
            }
        }
    }
}
