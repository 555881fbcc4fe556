import Foundation
import Testing

@testable import Markets

@Suite struct PriceTests {
    @Test(
        "a text is a price as a whole or not at all",
        arguments: [
            ("0.1", "0.1"), ("1.206e-09", "0.000000001206"), ("77123.45", "77123.45"),
            ("123456789.123456789", "123456789.123456789"), ("0.000000000000000001", "0.000000000000000001"),
            ("1E+18", "1000000000000000000"), ("60000.000", "60000"), ("000.50", "0.5"), ("7.", "7"), (".5", "0.5"),
            ("60_000", nil), ("0x10", nil), ("1,5", nil), ("", nil), (".", nil), ("-1", nil), ("0", nil), ("0.0", nil),
            ("nan", nil), ("inf", nil), ("1e19", nil), ("9e-19", nil), ("1e", nil), ("1e5 ", nil), ("１", nil),
            ("10e17", "1000000000000000000"), ("1000e-21", "0.000000000000000001"), ("10e60", nil), ("1.0e61", nil),
            ("1e1000000000", nil), ("1e-1000000000", nil), ("1" + String(repeating: "0", count: 70), nil),
            ("0." + String(repeating: "0", count: 70) + "1", nil),
        ] as [(String, String?)])
    func parses(text: String, expected: String?) {
        #expect(Price(parsing: text)?.description == expected)
    }

    @Test(
        "digits beyond the eighteenth are rounded half to even",
        arguments: [
            ("1.234567890123456785", "1.23456789012345678"), ("1.234567890123456775", "1.23456789012345678"),
            ("1.2345678901234567850000001", "1.23456789012345679"), ("0.9999999999999999999", "1"),
            ("123456789012345678", "123456789012345678"),
            ("1.23456789012345678499999999999999999999", "1.23456789012345678"),
        ])
    func rounds(text: String, expected: String) {
        #expect(Price(parsing: text)?.description == expected)
    }

    @Test(
        "comparison is exact, also where doubles are equal",
        arguments: [
            ("0.1", "0.1", false), ("1", "0.999999999999999999", false), ("0.999999999999999999", "1", true),
            ("123456789.123456788", "123456789.123456789", true), ("0.000000000000000001", "1000000000000000000", true),
            ("99999999999999999.9", "100000000000000000", true),
        ])
    func compares(left: String, right: String, less: Bool) throws {
        let (left, right) = (try #require(Price(parsing: left)), try #require(Price(parsing: right)))
        #expect((left < right) == less)
        #expect((right < left) == (!less && left != right))
    }

    @Test("random decimals survive the way through a price and back")
    func survives() async throws {
        var random = SystemRandomNumberGenerator()
        for count in 0..<20_000 {
            if count % 100 == 0 { await Task.yield() }  // the tests beside it share two threads
            let significand = Int64.random(in: 1..<1_000_000_000_000_000_000, using: &random)
            let exponent = Int.random(in: -18...0, using: &random)
            guard let price = Price(significand: significand, exponent: exponent) else { continue }
            #expect(Price(parsing: price.description) == price)
            #expect(Price(price.decimal) == price)
            #expect(price.decimal == Decimal(string: price.description))
        }
    }
}

@Suite struct PercentTests {
    @Test(
        "changes are rounded half away from zero",
        arguments: [
            ("100", "101.255", "1.26"), ("100", "98.745", "-1.26"), ("100", "101.254", "1.25"), ("3", "4", "33.33"),
            ("100", "100.001", "0"), ("100", "100", "0"), ("77000", "76000.5", "-1.3"),
            ("0.00000000000001", "1", "9999999999999900"),
        ])
    func changes(old: String, new: String, expected: String) throws {
        let (old, new) = (try #require(Price(parsing: old)), try #require(Price(parsing: new)))
        if expected.count < 12 {
            #expect(Percent(from: old, to: new).description == expected)
        } else {
            #expect(Percent(from: old, to: new).hundredths > 100_000_000_000_000)
        }
    }

    @Test("a reported figure is a number or nothing")
    func reported() {
        #expect(Percent(rounding: Decimal(string: "-5.204999") ?? 0)?.description == "-5.2")
        #expect(Percent(rounding: Decimal(string: "1.005") ?? 0)?.description == "1.01")
        #expect(Percent(rounding: Decimal(string: "1.577e37") ?? 0) == nil)
        #expect(Percent(rounding: .nan) == nil)
    }
}
