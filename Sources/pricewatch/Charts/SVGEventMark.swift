import Engine
import Foundation
import Markets

/// One or more alert events of one kind at the same place of a chart.
struct SVGEventMark {
    enum Shape: Hashable {
        case up, down
        /// Fired by a rule that is not about a price direction.
        case about
        case resolved
    }

    let x: Double
    let shape: Shape
    private(set) var events: [AlertEvent]

    private static let nearest = 7.0
    private static let mostListed = 6

    /// - Parameter place: The x coordinate of a time.
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

    /// The tooltip.
    var tip: String {
        let lines = events.prefix(Self.mostListed).map { event in
            let price = event.price.map { " at \($0) \(event.currency)" } ?? ""
            return "\(event.at.utcText) \(event.rule) \(event.kind.rawValue)\(price) (\(event.condition))"
        }
        let more = events.count > Self.mostListed ? ["and \(events.count - Self.mostListed) more"] : []
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
