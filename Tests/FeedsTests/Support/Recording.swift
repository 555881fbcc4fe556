import Foundation
import Testing

/// An answer recorded from a provider, where the folder with them lies beside the package.
struct Recording: Sendable, CustomTestStringConvertible {
    var name: String
    var url: URL

    var testDescription: String { name }

    var body: Data {
        get throws { try Data(contentsOf: url) }
    }

    /// Beside the package, or a floor above where the package is a clone among others.
    static func folder(_ provider: String) -> URL? {
        var place = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { place.deleteLastPathComponent() }
        for _ in 0..<3 {
            let folder = place.appendingPathComponent("shared/fixtures/\(provider)")
            if FileManager.default.fileExists(atPath: folder.path) { return folder }
            place.deleteLastPathComponent()
        }
        print("recorded answers: ../shared/fixtures/\(provider) is not there, its tests are skipped")
        return nil
    }

    static func all(in folder: URL?) -> [Recording] {
        guard let folder, let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path) else {
            return []
        }
        return names.sorted().map { Recording(name: $0, url: folder.appendingPathComponent($0)) }
    }

    /// A JSON number without exponent and needless zeros, by shifting its point.
    static func plain(_ number: String) -> String {
        let parts = number.lowercased().split(separator: "e", maxSplits: 1)
        let mantissa = parts[0].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let fraction = mantissa.count > 1 ? String(mantissa[1]) : ""
        var digits = String(mantissa[0]) + fraction
        var point = mantissa[0].count + (parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
        if point <= 0 {
            digits = String(repeating: "0", count: 1 - point) + digits
            point = 1
        }
        if point > digits.count { digits += String(repeating: "0", count: point - digits.count) }
        var whole = String(digits.prefix(point))
        var rest = String(digits.dropFirst(point))
        while whole.count > 1, whole.hasPrefix("0") { whole.removeFirst() }
        while rest.hasSuffix("0") { rest.removeLast() }
        return rest.isEmpty ? whole : whole + "." + rest
    }
}
