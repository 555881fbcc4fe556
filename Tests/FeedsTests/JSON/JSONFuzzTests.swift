import Foundation
import Markets
import Testing

@testable import Feeds

/// Random documents, whole and damaged, read by us and by Foundation.
@Suite("JSON, against Foundation")
struct JSONFuzzTests {
    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func documentsAreReadAlike(_ seed: UInt64) async throws {
        var source = JSONSource(seed: seed)
        for round in 0..<150 {
            if round % 25 == 0 { await Task.yield() }  // the tests beside it share two threads
            let text = Data(source.document().utf8)
            let ours = try JSONDocument(text)
            let theirs = try JSONDecoder().decode(JSONOracle.self, from: text)
            #expect(JSONOracle(ours.root) == theirs, "seed \(seed): \(String(decoding: text, as: UTF8.self))")
        }
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func damagedDocumentsAreJudgedAlike(_ seed: UInt64) async {
        var source = JSONSource(seed: seed &+ 1000)
        for round in 0..<600 {
            if round % 25 == 0 { await Task.yield() }
            let text = source.damaged(Data(source.document().utf8))
            let shown = "seed \(seed): \(String(decoding: text, as: UTF8.self))"
            guard let ours = try? JSONDocument(text) else {
                // Foundation lets a comma stand before a closing bracket, and takes UTF-16.
                let isStrict = (try? JSONSerialization.jsonObject(with: text, options: .fragmentsAllowed)) == nil
                #expect(isStrict || Self.hasLooseComma(text) || text.contains(0), "\(shown)")
                continue
            }
            // Foundation's serialization looks into every text and number, as `isWhole` does here; its decoder does
            // not, so that it takes what we take.
            let values = JSONOracle(ours.root)
            guard values.isWhole else { continue }
            let theirs = try? JSONDecoder().decode(JSONOracle.self, from: text)
            #expect(values == theirs, "\(shown)")
        }
    }

    /// Prices and figures, digit for digit, against Foundation's decimals.
    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func numbersAreReadAlike(_ seed: UInt64) throws {
        var source = JSONSource(seed: seed &+ 2000)
        for _ in 0..<1500 {
            let number = source.number()
            let text = Data("[\(number)]".utf8)
            let numeral = try #require(try JSONDocument(text).root[0]?.numeral)
            let double = (try? JSONDecoder().decode([Double].self, from: text))?.first
            // Foundation refuses `0e8`. Of digits that are cut the last place may depend.
            if let double, numeral.isCut {
                #expect(abs((numeral.double ?? 0) - double) <= double.ulp, "\(number)")
            } else {
                #expect(numeral.double == double ?? (numeral.significand == 0 ? 0 : nil), "\(number)")
            }
            // A decimal holds 38 digits; beyond them it cannot judge a rounding.
            guard let decimal = (try? JSONDecoder().decode([Decimal].self, from: text))?.first,
                number.count(where: \.isNumber) < 38
            else { continue }
            #expect(Price(numeral) == Price(decimal), "\(number)")
            #expect(Percent(rounding: numeral) == Percent(rounding: decimal), "\(number)")
        }
    }

    private static func hasLooseComma(_ text: Data) -> Bool {
        String(decoding: text, as: UTF8.self).contains(/,[ \t\r\n]*[\]}]/)
    }
}

/// Makes JSON texts by chance, the same ones for the same seed.
private struct JSONSource: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0xD134_2543_DE82_EF95 }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    private mutating func chance(_ count: Int) -> Int { Int.random(in: 0..<count, using: &self) }

    mutating func document() -> String { value(depth: 0) }

    private mutating func value(depth: Int) -> String {
        switch chance(depth > 4 ? 5 : 8) {
        case 0: return "null"
        case 1: return ["true", "false"][chance(2)]
        case 2, 3: return number()
        case 4: return text()
        case 5:
            return "[" + (0..<chance(5)).map { _ in blank() + value(depth: depth + 1) + blank() }.joined(separator: ",")
                + "]"
        default:
            let members = (0..<chance(6)).map { _ in
                blank() + text() + blank() + ":" + blank() + value(depth: depth + 1) + blank()
            }
            return "{" + members.joined(separator: ",") + "}"
        }
    }

    private mutating func blank() -> String { ["", "", "", " ", "\n", "\t", "\r ", "  "][chance(8)] }

    mutating func number() -> String {
        func digits(_ count: Int, _ source: inout JSONSource) -> String {
            (0..<count).map { _ in String([0, 0, 0, 4, 5, 5, 9, 9, source.chance(10)][source.chance(9)]) }.joined()
        }
        var number = chance(3) == 0 ? "-" : ""
        number += chance(3) == 0 ? "0" : "\(1 + chance(9))" + digits(chance(2) == 0 ? chance(4) : chance(22), &self)
        if chance(2) == 0 { number += "." + digits(1 + (chance(2) == 0 ? chance(9) : chance(26)), &self) }
        if chance(3) == 0 {
            number +=
                ["e", "E"][chance(2)] + ["", "+", "-"][chance(3)] + "\(chance(2) == 0 ? chance(12) : chance(40))"
        }
        return number
    }

    private static let pieces = [
        "id", "name", "a", "current_price", "é", "€", "😀", "\\\"", "\\\\", "\\/", "\\n", "\\t", "\\u0041", "\\u00e9",
        "\\ud83d\\ude00", "eight bytes and more of them", "\u{7F}", " ", "[", "}", ",", ":",
    ]

    private mutating func text() -> String {
        "\"" + (0..<chance(5)).map { _ in Self.pieces[chance(Self.pieces.count)] }.joined() + "\""
    }

    private static let stray: [[UInt8]] = [
        [0x00], [0x0A], [0x1F], [0x22], [0x5C], [0x7B], [0x7D], [0x5B], [0x5D], [0x2C], [0x3A], [0x30], [0x2D], [0x2E],
        [0x65], [0x80], [0xC3], [0xE2, 0x82], [0xFF], [0xEF, 0xBB, 0xBF], Array("null".utf8), Array("\\ud800".utf8),
        Array("\\u00".utf8), Array("1e400".utf8), Array("01".utf8),
    ]

    /// Cuts, doubles, drops or inserts something somewhere.
    mutating func damaged(_ text: Data) -> Data {
        var bytes = [UInt8](text)
        for _ in 0...chance(3) {
            let place = chance(bytes.count + 1)
            switch chance(5) {
            case 0: bytes.removeSubrange(place...)
            case 1 where place < bytes.count: bytes.remove(at: place)
            case 2 where place < bytes.count: bytes[place] = UInt8(chance(256))
            case 3: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + chance(6))], at: place)
            default: bytes.insert(contentsOf: Self.stray[chance(Self.stray.count)], at: place)
            }
        }
        return Data(bytes)
    }
}
