import Foundation

/// What `check --online` finds out about an engine.
package struct EngineFindings: Hashable, Sendable {
    /// For people.
    package var findings: [String] = []
    package var warnings: [String] = []
    /// Why nothing can be sent; nil: something can.
    package var refusal: String?
}

extension Exporter {
    /// Sends nothing, and reads the flags of a VictoriaMetrics: samples are sent again after a failure, and without
    /// deduplication it keeps each.
    package func inspect() async -> EngineFindings {
        var found = EngineFindings()
        switch await client.write([]) {
        case .taken: found.findings.append("\(name): host and credentials are accepted")
        case .refused(let cause, _):
            found.warnings.append(
                "\(cause); this was an empty request, which some engines refuse: see whether samples arrive")
        case .failed(let cause, _), .blocked(let cause): found.refusal = cause
        case .interrupted: found.refusal = "export to \(name): interrupted"
        }
        guard found.refusal == nil else { return found }
        guard let origin = client.address.readOrigin else { return found }
        let flags: String
        do throws(ReadFault) {
            flags = String(decoding: try await client.read(origin + "/flags", upTo: 1 << 20), as: UTF8.self)
        } catch { return found }
        // Other engines have no such page, or another one there; vmagent and vminsert leave it to others.
        let lines = flags.split(whereSeparator: \.isNewline)
        guard lines.allSatisfy({ $0.hasPrefix("-") }), Self.flag("remoteWrite.url", in: lines) == nil else {
            return found
        }
        let interval = Self.flag("dedup.minScrapeInterval", in: lines)
        if interval == nil, client.address.isCluster, client.address.query == nil { return found }
        // Releases before 2023 show only what is set. `0s` is off, as well as `0`.
        if let interval, interval.contains(where: { "123456789".contains($0) }) {
            found.findings.append("\(name): VictoriaMetrics, deduplicates within \(interval)")
        } else {
            found.warnings.append(
                "\(name): keeps samples that are sent twice: start VictoriaMetrics with -dedup.minScrapeInterval=1ms")
        }
        return found
    }

    /// The value of a flag in VictoriaMetrics' page of flags, `-name="value"` a line; nil if it is not there.
    private static func flag(_ name: String, in lines: [Substring]) -> String? {
        for line in lines {
            let pair = line.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, pair[0].drop(while: { $0 == "-" }) == name else { continue }
            return pair[1].trimmingCharacters(in: CharacterSet(charactersIn: "\" "))
        }
        return nil
    }
}
