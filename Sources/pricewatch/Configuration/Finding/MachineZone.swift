import Foundation
import Markets

/// The time zones of this machine, and which of them is its own.
extension HostEnvironment {
    /// The folder of the zones: zoneinfo, of the package tzdata.
    var zones: String { self["TZDIR"] ?? root + "/usr/share/zoneinfo" }

    /// The zone of this name.
    func zone(named name: String) throws(Unfit) -> Zone? {
        if let zone = Zone(named: name, in: zones) { return zone }
        guard !FileManager.default.fileExists(atPath: zones + "/Etc/UTC") else { return nil }
        throw Unfit(reason: "\(name.quoted) is not known here: \(zones) has no time zones (install tzdata, or use UTC)")
    }

    /// `Europe/Berlin` from `Berlin` or `europe/berlin`; nil: there is none.
    func zone(ofCity name: String) -> String? {
        let regions = (try? FileManager.default.contentsOfDirectory(atPath: zones)) ?? []
        let city = name.capitalized.replacing(" ", with: "_")
        return ([city] + regions.sorted().map { "\($0)/\(city)" }).first { Zone(named: $0, in: zones) != nil }
    }

    /// The machine's own, found as the C library does: `$TZ`, then /etc/localtime. It has a name where one can be
    /// found; UTC where nothing is said.
    var localZone: Zone {
        get throws(Unfit) {
            if let text = variables["TZ"] { return try zone(ofVariable: text) }
            let file = root + "/etc/localtime"
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: file)
            if let name = target.flatMap(Self.zoneName) { return try machineZone(name) }
            let text = try? BoundedFile.text(root + "/etc/timezone")
            let name = text?.split(whereSeparator: \.isWhitespace).first.map(String.init)
            guard var copy = Zone(name: name ?? "local", file: file) else { return try name.map(machineZone) ?? .utc }
            // A container may have the file of its host, and the name of its image.
            if Zone(named: copy.name, in: zones) != copy { copy.name = "local" }
            return copy
        }
    }

    private func machineZone(_ name: String) throws(Unfit) -> Zone {
        if let zone = try zone(named: name) { return zone }
        throw Unfit(reason: "the machine's, \(name.quoted), is not in \(zones) (install tzdata, or name a zone)")
    }

    /// `Europe/Berlin`, the path of a file with or without a colon, or a rule such as `CET-1CEST,M3.5.0,M10.5.0/3`.
    private func zone(ofVariable text: String) throws(Unfit) -> Zone {
        let name = text.hasPrefix(":") ? String(text.dropFirst()) : text
        if name.isEmpty { return .utc }
        let isPath = name.hasPrefix("/")
        let zone =
            isPath ? Zone(name: Self.zoneName(name) ?? "local", file: name) : Zone(named: name, in: zones)
        if let zone = zone ?? Zone(posix: name) { return zone }
        throw Unfit(reason: "the machine's, TZ=\(text.quoted), is no time zone (correct it, or name a zone)")
    }

    /// The part of a path behind the folder of zones.
    private static func zoneName(_ path: String) -> String? {
        path.firstRange(of: "/zoneinfo/").map { String(path[$0.upperBound...]) }
    }
}
