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
        element("text", Self.places(["x": x, "y": y]), style, Self.escaped(text))
    }

    /// - Parameter places: Coordinates and sizes by the names that the element has for them.
    mutating func shape(
        _ name: String, _ places: KeyValuePairs<String, Double>, _ style: String, tip: String? = nil
    ) {
        element(name, Self.places(places), style, Self.title(tip))
    }

    /// A `polyline` or a `polygon`.
    mutating func shape(_ name: String, through points: [Point], _ style: String, tip: String? = nil) {
        let places = points.map { "\(Self.number($0.x)),\(Self.number($0.y))" }
        element(name, "points=\"\(places.joined(separator: " "))\"", style, Self.title(tip))
    }

    private mutating func element(_ name: String, _ places: String, _ style: String, _ content: String) {
        body += "<\(name) \(places) class=\"\(style)\""
        body += content.isEmpty ? "/>\n" : ">\(content)</\(name)>\n"
    }

    private static func places(_ places: KeyValuePairs<String, Double>) -> String {
        places.map { "\($0.key)=\"\(number($0.value))\"" }.joined(separator: " ")
    }

    private static func title(_ tip: String?) -> String { tip.map { "<title>\(escaped($0))</title>" } ?? "" }

    /// A coordinate, rounded to a tenth of a pixel.
    private static func number(_ value: Double) -> String { String(format: "%g", (value * 10).rounded() / 10) }

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
