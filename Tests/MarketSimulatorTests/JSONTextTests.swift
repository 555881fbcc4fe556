import Markets
import Testing

@testable import MarketSimulator

@Suite struct JSONTextTests {
    @Test(arguments: [
        ("77123.45678", "77123.45678"), ("60000", "60000"), ("0.9997184", "0.9997184"), ("0.00135115", "0.00135115"),
        ("0.00000836", "8.36e-06"), ("1.206e-9", "1.206e-09"), ("0.0000000000204", "2.04e-11"), ("2e-6", "2.0e-06"),
    ])
    func smallPricesHaveAnExponent(value: String, text: String) {
        #expect(price(value).jsonNumber == text)
        #expect(Price(parsing: text) == price(value))
    }
}
