/// Limits the expansion of aliases before they are followed: eight lines of nine aliases each would otherwise expand to
/// a billion values.
///
/// It scans only the text, and overestimates: everything between an anchor and its first alias counts as the anchor's
/// content, including comments.
enum AliasBudget {
    private static let mostAnchors = 1000

    static func check(_ text: String, file: String, most: Int) throws(ConfigurationFault) {
        guard text.utf8.contains(UInt8(ascii: "*")), text.utf8.contains(UInt8(ascii: "&")) else { return }
        var open: [String: Int] = [:]
        var closed: [String: Int] = [:]
        var total = 0
        var place = (line: 1, column: 0)
        var mark: Unicode.Scalar?
        var name = ""
        var previous: Unicode.Scalar = "\n"

        func end() throws(ConfigurationFault) {
            defer {
                mark = nil
                name = ""
            }
            guard let mark, !name.isEmpty else { return }
            if mark == "&" {
                guard open.count + closed.count < mostAnchors else {
                    throw fault(place, name, "more than \(mostAnchors) anchors")
                }
                open[name] = 1
                closed[name] = nil
                return
            }
            if let size = open.removeValue(forKey: name) { closed[name] = size }
            guard let size = closed[name] else { return }
            for other in open.keys { open[other, default: 0] += size }
            total += size
            guard total <= most else {
                throw fault(place, name, "the aliases up to here stand for more than \(most) values")
            }
        }

        func fault(_ place: (line: Int, column: Int), _ name: String, _ message: String) -> ConfigurationFault {
            let column = max(1, place.column - name.count - 1)
            let position = FilePosition(file: file, line: place.line, column: column)
            return ConfigurationFault(position: position, keyPath: nil, message: message)
        }

        for scalar in text.unicodeScalars {
            place.column += 1
            if mark != nil, scalar.isInAnchorName {
                name.unicodeScalars.append(scalar)
                continue
            }
            try end()
            if scalar == "\n" { place = (place.line + 1, 0) }
            if scalar == "&" || scalar == "*" { mark = scalar }
            if beginsValue(scalar, after: previous) { for other in open.keys { open[other, default: 0] += 1 } }
            previous = scalar
        }
        try end()
    }

    private static func beginsValue(_ scalar: Unicode.Scalar, after previous: Unicode.Scalar) -> Bool {
        switch scalar {
        case ",", ":", "[", "{", "\n": true
        case " ": previous == "-" || previous == "?"
        default: false
        }
    }
}

extension Unicode.Scalar {
    /// The characters of libyaml's anchor names: letters, digits, hyphen, underscore.
    fileprivate var isInAnchorName: Bool {
        switch self {
        case "a"..."z", "A"..."Z", "0"..."9", "-", "_": true
        default: false
        }
    }
}
