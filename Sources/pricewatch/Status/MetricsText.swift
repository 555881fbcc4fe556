import Markets

/// Prometheus's text format, version 0.0.4.
struct MetricsText {
    private(set) var text = ""

    enum Kind: String {
        case gauge, counter
    }

    typealias Labels = [(name: String, value: String)]

    /// Adds a metric family with its samples; one without samples is omitted.
    mutating func family(
        _ name: String, _ kind: Kind, _ help: String, _ fill: ((Labels, _ value: String) -> Void) -> Void
    ) {
        var samples = ""
        fill { labels, value in
            samples += "pricewatch_\(name)"
            if !labels.isEmpty {
                let pairs = labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }
                samples += "{\(pairs.joined(separator: ","))}"
            }
            samples += " \(value)\n"
        }
        guard !samples.isEmpty else { return }
        text += "# HELP pricewatch_\(name) \(help)\n# TYPE pricewatch_\(name) \(kind.rawValue)\n\(samples)"
    }

    private static func escaped(_ value: String) -> String {
        value.replacingScalars { scalar in
            switch scalar {
            case "\\": "\\\\"
            case "\"": "\\\""
            case "\n": "\\n"
            default: nil
            }
        }
    }
}
