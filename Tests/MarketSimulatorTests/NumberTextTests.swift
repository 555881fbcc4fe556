import Markets
import Testing

@testable import MarketSimulator

@Suite struct NumberTextTests {
    @Test(arguments: [
        ("77123.45678", "77123", "77123.45678", "77123.46"), ("60000", "60000", "60000", "60000"),
        ("2391.224", "2391.22", "2391.224", "2391.22"), ("1", "1.0", "1.0", "1.0"),
        ("1.0009", "1.001", "1.0009", "1.0"), ("0.9997184", "0.999718", "0.9997184", "1.0"),
        ("0.00135115", "0.00135115", "0.00135115", "0.0"), ("0.00000836", "8.36e-06", "8.36e-06", "0.0"),
        ("1.206e-9", "1.206e-09", "1.206e-09", "0.0"), ("0.0000000000204", "2.0e-11", "2.04e-11", "0.0"),
        ("1e17", "1.0e+17", "1.0e+17", "1.0e+17"),
    ])
    func pricesReadAsRecordedOnes(value: String, rounded: String, full: String, twoDecimals: String) {
        #expect(NumberText.price(price(value), .rounded) == rounded)
        #expect(NumberText.price(price(value), .full) == full)
        #expect(NumberText.price(price(value), .decimals(2)) == twoDecimals)
    }

    @Test(arguments: [(569_778_313_238.4, "569778313238"), (14_384.834, "14384.83"), (0, "0.0"), (2.5e16, "2.5e+16")])
    func amountsAreWholeWhereLarge(value: Double, text: String) {
        #expect(NumberText.amount(value) == text)
    }

    @Test func percentHasFiveDecimals() {
        #expect(NumberText.percent(from: 3, to: 4) == "33.33333")
        #expect(NumberText.percent(from: 0, to: 4) == "0.0")
    }

    @Test(arguments: ["-1", "19", "x", "1.5"]) func refusesOtherPrecisions(text: String) {
        #expect(NumberText.Precision(text) == nil)
    }

    @Test func escapesJSON() {
        #expect(jsonText("a\"b\\c\nd\u{1}é") == #""a\"b\\c\u000ad\u0001é""#)
    }
}
