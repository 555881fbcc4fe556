import Foundation

/// Writes the shapes of charts as SVG.
struct SVGWriter {
    typealias Point = (x: Double, y: Double)

    private var shapes = MarkupWriter(reserving: 32 << 10)

    /// Light by default: not every viewer supports colour schemes. A web page has it in its stylesheet.
    static let style: StaticString = """
        text { font-family: system-ui, -apple-system, "Segoe UI", "DejaVu Sans", Roboto, sans-serif; fill: #1f2328 }
        .title { font-size: 18px; font-weight: 600 }
        .fact { font-size: 13px; fill: #59636e }
        .label { font-size: 12px; fill: #59636e }
        .end { text-anchor: end }
        .halo { paint-order: stroke; stroke: #ffffff; stroke-width: 3px; stroke-linejoin: round }
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
        .threshold { stroke: #9a6700; stroke-width: 1.4; stroke-dasharray: 6 4 }
        @media (prefers-color-scheme: dark) {
        text { fill: #f0f6fc }
        .fact, .label { fill: #9198a1 }
        .paper { fill: #0d1117 }
        .halo { stroke: #0d1117 }
        .grid { stroke: #262c36 }
        .axis { stroke: #656c76 }
        .gap { fill: #222933 }
        .price { stroke: #58a6ff }
        .dot { fill: #58a6ff }
        .range { fill: #388bfd; stroke: #388bfd }
        .firing { fill: #ff7b72; stroke: #0d1117 }
        .resolved { fill: #0d1117; stroke: #3fb950 }
        .threshold { stroke: #d29922 }
        }
        """

    /// The shapes as a picture of its own.
    ///
    /// - Parameter title: Text for screen readers.
    func file(width: Double, height: Double, title: String) -> MarkupWriter {
        let (width, height) = (Self.number(width), Self.number(height))
        var svg = MarkupWriter(reserving: shapes.bytes.count + 4096)
        svg.element(
            "svg",
            [
                "xmlns": "http://www.w3.org/2000/svg", "viewBox": "0 0 \(width) \(height)", "width": width,
                "height": height, "role": "img",
            ]
        ) { svg in
            svg.literal("\n")
            svg.element("title", text: title)
            svg.literal("\n")
            svg.element("style") { svg in
                svg.literal("\n")
                svg.literal(Self.style)
                svg.literal("\n")
            }
            svg.literal("\n")
            svg.empty("rect", ["class": "paper", "width": width, "height": height])
            svg.literal("\n")
            svg.append(shapes)
        }
        svg.literal("\n")
        return svg
    }

    /// The shapes as a part of a web page, as wide as its place and styled by the page.
    ///
    /// - Parameters:
    ///   - name: Its class, and the beginning of its ids.
    ///   - top: What is above is cut off.
    func inline(
        _ name: String, width: Double, height: Double, from top: Double, title: String, description: String
    ) -> MarkupWriter {
        var svg = MarkupWriter(reserving: shapes.bytes.count + 1024)
        svg.element(
            "svg",
            [
                "class": name, "viewBox": "0 \(Self.number(top)) \(Self.number(width)) \(Self.number(height - top))",
                "role": "img",
                "aria-labelledby": "\(name)-title \(name)-text",
            ]
        ) { svg in
            svg.element("title", ["id": "\(name)-title"], text: title)
            svg.element("desc", ["id": "\(name)-text"], text: description)
            svg.append(shapes)
        }
        return svg
    }

    mutating func text(_ x: Double, _ y: Double, _ text: String, _ style: String) {
        shapes.element("text", ["x": Self.number(x), "y": Self.number(y), "class": style], text: text)
        shapes.literal("\n")
    }

    mutating func line(from start: Point, to end: Point, _ style: String, tip: String? = nil) {
        shape(
            "line",
            [
                "x1": Self.number(start.x), "y1": Self.number(start.y), "x2": Self.number(end.x),
                "y2": Self.number(end.y), "class": style,
            ], tip)
    }

    mutating func rectangle(
        _ corner: Point, width: Double, height: Double, _ style: String, tip: String? = nil
    ) {
        shape(
            "rect",
            [
                "x": Self.number(corner.x), "y": Self.number(corner.y), "width": Self.number(width),
                "height": Self.number(height), "class": style,
            ], tip)
    }

    mutating func circle(_ centre: Point, radius: Double, _ style: String, tip: String? = nil) {
        shape(
            "circle",
            ["cx": Self.number(centre.x), "cy": Self.number(centre.y), "r": Self.number(radius), "class": style], tip)
    }

    mutating func path(through points: [Point], isClosed: Bool = false, _ style: String) {
        shape("path", ["d": Self.steps(points) + (isClosed ? "z" : ""), "class": style], nil)
    }

    mutating func polygon(through points: [Point], _ style: String, tip: String? = nil) {
        shape("polygon", ["points": Self.places(points), "class": style], tip)
    }

    private mutating func shape(_ name: StaticString, _ attributes: MarkupWriter.Attributes, _ tip: String?) {
        if let tip {
            shapes.element(name, attributes) { $0.element("title", text: tip) }
        } else {
            shapes.empty(name, attributes)
        }
        shapes.literal("\n")
    }

    private static func places(_ points: [Point]) -> String {
        points.map { "\(number($0.x)),\(number($0.y))" }.joined(separator: " ")
    }

    /// From one point to the next, in half the bytes of their places.
    private static func steps(_ points: [Point]) -> String {
        var path: [UInt8] = []
        path.reserveCapacity(points.count * 8)
        var last = (x: 0, y: 0)
        for point in points {
            let place = (x: tenths(point.x), y: tenths(point.y))
            path.append(UInt8(ascii: path.isEmpty ? "M" : "l"))
            append(place.x - last.x, to: &path)
            if place.y >= last.y { path.append(UInt8(ascii: " ")) }
            append(place.y - last.y, to: &path)
            last = place
        }
        return String(decoding: path, as: UTF8.self)
    }

    /// A coordinate, rounded to a tenth of a pixel.
    static func number(_ value: Double) -> String {
        var text: [UInt8] = []
        append(tenths(value), to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    private static func tenths(_ value: Double) -> Int { Int((value * 10).rounded()) }

    private static func append(_ tenths: Int, to text: inout [UInt8]) {
        let (whole, part) = (tenths.magnitude / 10, tenths.magnitude % 10)
        if tenths < 0 { text.append(UInt8(ascii: "-")) }
        if whole > 0 || part == 0 { text.append(contentsOf: String(whole).utf8) }
        if part > 0 { text += [UInt8(ascii: "."), UInt8(ascii: "0") + UInt8(part)] }
    }
}
