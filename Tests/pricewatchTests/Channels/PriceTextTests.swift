import Engine
import Markets
import Testing

@testable import Channels
@testable import pricewatch

@Suite struct PriceTextTests {
    @Test(arguments: [
        ("59990", "59,990"), ("0.000000001", "0.000000001"), ("0.000000001206123456", "0.00000000120612"),
        ("1000000000000", "1,000,000,000,000"), ("1000000000000.12", "1,000,000,000,000"),
        ("77123.45", "77,123.45"), ("77123.456", "77,123.46"), ("1234567.891", "1,234,567.89"),
        ("12345678.9", "12,345,679"), ("1.23456789", "1.23457"), ("0.99871234", "0.998712"), ("0.5", "0.5"),
        ("999.999999", "1,000"), ("100", "100"), ("1000", "1,000"), ("0.000000000000000001", "0.000000000000000001"),
    ])
    func `the digits that matter`(price: String, text: String) {
        #expect(PriceText.text(Told.price(price)) == text)
    }

    @Test(arguments: [
        ("59999.996", "60000", "59,999.996"), ("59999.9999999", "60000", "59,999.9999999"),
        ("60000.004", "60000", "60,000.004"), ("60000", "60000", "60,000"), ("59990.123456", "60000", "59,990.12"),
        ("0.98999999", "0.99", "0.98999999"),
    ])
    func `rounding never moves a price across its level`(price: String, level: String, text: String) {
        #expect(PriceText.text(Told.price(price), apartFrom: Told.price(level)) == text)
    }

    @Test(arguments: [
        (-520, "−5.2 %"), (520, "+5.2 %"), (0, "0 %"), (-1, "−0.01 %"), (123_456_789, "+1,234,567.89 %"),
    ])
    func `changes`(hundredths: Int64, text: String) {
        #expect(Percent(hundredths: hundredths).signedText == text)
    }

    @Test(arguments: [
        (Duration.seconds(45), "45s"), (.seconds(119), "1m59s"), (.seconds(725), "12m"), (.minutes(185), "3h5m"),
        (.hours(51), "2d3h"), (.seconds(-3), "0s"),
    ])
    func `ages`(age: Duration, text: String) {
        #expect(age.ageText == text)
    }
}
