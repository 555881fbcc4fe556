import Engine
import Foundation
import Markets

/// One or more alert events of a kind that fall on the same place of a picture.
struct SVGEventMark {
    enum Shape: Hashable {
        case up, down
        /// Fired for another reason than the price.
        case about
        case resolved
    }

    let x: Double
    let shape: Shape
    private(set) var events: [AlertEvent]

    private static let nearest = 7.0
    private static let told = 6

    /// - Parameter place: Where a moment lies, from the left.
    static func marks(_ events: [AlertEvent], at place: (Date) -> Double) -> [SVGEventMark] {
        var marks: [SVGEventMark] = []
        var newest: [Shape: Int] = [:]
        for event in events {
            let shape = Shape(event)
            let x = place(event.at)
            if let last = newest[shape], x - marks[last].x < nearest {
                marks[last].events.append(event)
            } else {
                newest[shape] = marks.count
                marks.append(SVGEventMark(x: x, shape: shape, events: [event]))
            }
        }
        return marks
    }

    /// What is shown when one points at it.
    var tip: String {
        let lines = events.prefix(Self.told).map { event in
            let price = event.price.map { " at \($0) \(event.currency)" } ?? ""
            return "\(event.at.utcText) \(event.rule) \(event.kind.rawValue)\(price) (\(event.condition))"
        }
        let more = events.count > Self.told ? ["and \(events.count - Self.told) more"] : []
        return (lines.map { SafeText.printable($0, atMost: 200) } + more).joined(separator: "\n")
    }
}

extension SVGEventMark.Shape {
    fileprivate init(_ event: AlertEvent) {
        self =
            switch (event.kind, event.direction) {
            case (.resolved, _): .resolved
            case (_, .up): .up
            case (_, .down): .down
            case (_, nil): .about
            }
    }
}
