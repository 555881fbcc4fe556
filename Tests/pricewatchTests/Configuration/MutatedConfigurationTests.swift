import Foundation
import TestSupport
import Testing

@testable import pricewatch

/// Whatever has become of a configuration, it is read or refused, and each of its faults has a place and plain words.
@Suite struct MutatedConfigurationTests {
    private static let count = MutationRun.count(of: "CONFIGURATIONS", usually: 1500)

    private static let short = [
        "watch: {markets: [bitcoin, {id: solana, binance: SOLUSDT}, {id: mine, holds: {bitcoin: 0.5}, cost: 2}]}\n",
        "alerts:\n  - {name: a, market: bitcoin, above: 60000, clear: 59000, for: 5m, severity: critical}\n",
        "feeds:\n  - {provider: coingecko, plan: demo, key: CG-1, every: 300s}\n  - provider: kraken\n",
        "notify:\n  - name: hook\n    webhook: https://example.org/h\n    quiet: {from: \"22:00\", until: \"07:00\"}\n",
        "export:\n  - {name: vm, url: \"https://example.org/write\", token: t}\ntimezone: Europe/Berlin\n",
        "log:\n  file: log\n  level: \"info\"\nhistory: {database: h.db, max_size: 2GiB}\n",
        "a: &x [1, 2]\nb: *x\nc: |\n  text\n  more\nd: >-\n  folded\n",
    ]

    private static let dictionary = [
        "watch:", "alerts:\n", "feeds:\n", "notify:\n", "export:\n", "poll:", "markets: ", "market: ", "name: ", "id: ",
        "above: ", "rises: ", "over: 24h", "for: ", "every: ", "0s", "5m", "365000d", "0.1%", "2GiB", "_file: ",
        "_env: HOME",
        "/dev/null", "holds: {", "\n", "  ", "    ", "\n\n", "- ", "---\n", "...\n", "%YAML 1.1\n", "&a ", "*a",
        "<<: *a", "!!binary ",
        "? ", ": ", "| \n", ">+2\n", "# ", "bitcoin", "all", "portfolio", "tr0000000000", "\u{2029}", "\u{FEFF}watch:",
    ]

    @Test("each is read or refused with places inside it")
    func configurations() throws {
        let scene = try ConfigurationScene()
        let file = ConfigurationFile(path: scene.folder + "/etc/p.yaml", isOption: true)
        let sample = try Project.text("etc/pricewatch.yaml").replacing("\n#", with: "\n")
        var mutator = Mutator(seed: MutationRun.seed, dictionary: Self.dictionary)
        var (taken, refused) = (0, 0)
        for round in 0..<Self.count {
            let good = round % 10 == 0 ? sample : mutator.random.pick(Self.short)
            let bytes = mutator.mutated(Array(good.utf8), most: 1 << 20)
            MutationRun.note(Data(bytes))
            // Bytes that are no text are refused before.
            let text = String(decoding: bytes, as: UTF8.self)
            let reading = ConfigurationReading.parse(text, file: file, scene.host)
            if reading.faults.isEmpty { taken += 1 } else { refused += 1 }
            let lengths = lengthsOfLines(text)
            for fault in reading.faults + reading.warnings {
                let place = fault.position
                let isInside =
                    place.file == file.path && lengths.indices.contains(place.line - 1)
                    && (1...lengths[place.line - 1] + 1).contains(place.column)
                #expect(isInside, "\(fault) of \(lengths.count) lines: \(text.debugDescription.prefix(2000))")
                #expect(!fault.message.isEmpty && fault.message.utf8.count <= 1000, "\(fault)")
                let isPlain = !fault.description.unicodeScalars.contains { $0.isUnprintable }
                #expect(isPlain, "\(fault.description.debugDescription)")
            }
        }
        // About one in fifty is taken; a quarter of that is no chance of a seed.
        #expect(taken > Self.count / 200 && refused > Self.count / 2, "\(taken) taken, \(refused) refused")
    }

    /// In Unicode scalars.
    private func lengthsOfLines(_ text: String) -> [Int] {
        var lengths = [0]
        var isAfterReturn = false
        for scalar in text.unicodeScalars {
            if scalar == "\n", isAfterReturn {
                isAfterReturn = false
                continue
            }
            isAfterReturn = scalar == "\r"
            if scalar.isLineBreak { lengths.append(0) } else { lengths[lengths.count - 1] += 1 }
        }
        return lengths
    }
}
