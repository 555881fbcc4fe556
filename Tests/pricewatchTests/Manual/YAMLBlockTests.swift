import Foundation
import Testing

@testable import pricewatch

/// Every configuration that the manual shows is accepted.
@Suite struct YAMLBlockTests {
    private static let blocks =
        (try? ManualText(named: "README.md").blocks.filter { $0.language == "yaml" }) ?? []

    @Test("check accepts it, without a warning", arguments: blocks.filter { $0.words.isEmpty }.map(YAMLBlock.init))
    func accepted(block: YAMLBlock) async throws {
        #expect(try await block.faults() == [])
    }

    @Test("a rule for Prometheus asks for metrics that are written")
    func prometheus() throws {
        let block = try #require(Self.blocks.first { $0.words == ["prometheus"] })
        let written = try Project.text("Sources/pricewatch/Status/MetricsFile.swift")
        let names = block.text.matches(of: /pricewatch_([a-z_]+)/).map { String($0.output.1) }
        #expect(!names.isEmpty)
        for name in names { #expect(written.contains("\"\(name)\""), "\(block.place): \(name)") }
    }

    @Test("there are many")
    func many() { #expect(Self.blocks.count >= 12) }
}

extension YAMLBlock: CustomTestStringConvertible {
    var testDescription: String { place.description }
}
