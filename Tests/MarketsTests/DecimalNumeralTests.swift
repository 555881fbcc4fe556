import Foundation
import Testing

@testable import Markets

@Suite struct DecimalNumeralTests {
    @Test(
        "a numeral is taken apart once",
        arguments: [
            ("0", false, 0, 0, false), ("-0.10", true, 10, -2, false), ("60000", false, 60000, 0, false),
            ("1.206e-09", false, 1206, -12, false), ("+7.", false, 7, 0, false), (".5E2", false, 5, 1, false),
            ("0000000000000000000000012", false, 12, 0, false),
            ("1234567890123456789", false, 1_234_567_890_123_456_789, 0, false),
            ("12345678901234567890", false, 1_234_567_890_123_456_789, 1, false),
            ("12345678901234567891", false, 1_234_567_890_123_456_789, 1, true),
            ("0.00012345678901234567890001", false, 1_234_567_890_123_456_789, -22, true),
            ("9999999999999999999", false, 9_999_999_999_999_999_999, 0, false),
        ] as [(String, Bool, UInt64, Int, Bool)])
    func parts(text: String, isNegative: Bool, significand: UInt64, exponent: Int, isCut: Bool) throws {
        let numeral = try #require(DecimalNumeral(text))
        #expect(numeral.isNegative == isNegative && numeral.significand == significand)
        #expect(numeral.exponent == exponent && numeral.isCut == isCut)
    }

    @Test(
        "anything else is none",
        arguments: ["", "-", ".", "e5", "1e", "1e+", "1.2.3", "1 ", " 1", "0x1", "1_0", "１", "nan", "--1", "1e5.0"])
    func none(text: String) { #expect(DecimalNumeral(text) == nil) }

    @Test(
        "doubles are the nearest ones",
        arguments: [
            "0", "0.1", "-0.3", "9007199254740993", "9007199254740992.5", "1e22", "1e23", "123456789012345678901",
            "4.9e-324", "1.7976931348623157e308", "2.2250738585072011e-308", "0.1000000000000000055511151231257827021",
            "9007199254740993.00000000000000000000000000001", "77123.45", "1541516833886",
        ])
    func doubles(text: String) { #expect(DecimalNumeral(text)?.double == Double(text)) }

    @Test(
        "exponents without end",
        arguments: [
            ("1e999999999999999999999999", nil), ("1e-99999999999999999999", nil), ("0e-99999999999999999999", 0),
        ])
    func hugeExponents(text: String, double: Double?) throws {
        let numeral = try #require(DecimalNumeral(text))
        #expect(numeral.double == double)
        #expect(Price(numeral) == nil)
    }

    @Test(
        "integers",
        arguments: [
            ("1027", 1027), ("1027.0", 1027), ("-1.5e1", -15), ("1e3", 1000), ("0e99", 0),
            ("9223372036854775807", .max),
            ("9223372036854775808", nil), ("1.5", nil), ("1e19", nil), ("12345678901234567890.5", nil),
        ] as [(String, Int64?)])
    func integers(text: String, integer: Int64?) { #expect(DecimalNumeral(text)?.integer == integer) }

    @Test(
        "percentages are rounded half away from zero",
        arguments: [
            ("1.255", 126), ("-1.255", -126), ("1.2549999999999999999999", 125), ("0.005", 1), ("-0.0049", 0),
            ("7", 700),
            ("1e13", 1_000_000_000_000_000), ("10000000000000.005", nil), ("-1e14", nil), ("1e-30", 0), ("5e-3", 1),
            ("0.00500000000000000000000000001", 1), ("1e99", nil), ("0e99", 0),
        ] as [(String, Int64?)])
    func percentages(text: String, hundredths: Int64?) throws {
        #expect(Percent(rounding: try #require(DecimalNumeral(text)))?.hundredths == hundredths)
    }
}
