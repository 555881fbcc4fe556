import Testing

@testable import Views
@testable import pricewatch

@Suite struct PriceAxisTests {
    @Test(
        "ticks are round and their labels are exact, from 1e-9 to 1e12",
        arguments: [
            (76_500.0, 79_500.0, "76,500 77,000 77,500 78,000 78,500 79,000 79,500"),
            (1.0, 1.0, "0.996 0.998 1.000 1.002 1.004"),
            (0.99971, 0.99974, "0.999710 0.999715 0.999720 0.999725 0.999730 0.999735 0.999740"),
            (1.19e-9, 1.21e-9, "0.000000001190 0.000000001195 0.000000001200 0.000000001205 0.000000001210"),
            (0.0000035, 0.0000038, "0.00000350 0.00000355 0.00000360 0.00000365 0.00000370 0.00000375 0.00000380"),
            (
                1.1e12, 1.6e12,
                "1,100,000,000,000 1,200,000,000,000 1,300,000,000,000 1,400,000,000,000 1,500,000,000,000 1,600,000,000,000"
            ),
            (
                2_100_000, 2_900_000,
                "2,100,000 2,200,000 2,300,000 2,400,000 2,500,000 2,600,000 2,700,000 2,800,000 2,900,000"
            ),
            (
                1e-9, 7e11,
                "0 100,000,000,000 200,000,000,000 300,000,000,000 400,000,000,000 500,000,000,000 600,000,000,000 700,000,000,000"
            ),
            (8_900.0, 147_000.0, "20,000 40,000 60,000 80,000 100,000 120,000 140,000"),
            (153.0, 157.9, "153 154 155 156 157 158"),
        ])
    func labels(low: Double, high: Double, labels: String) {
        let axis = ChartAxis(prices: low, high, ticks: 9)
        #expect(axis.ticks.map(\.label).joined(separator: " ") == labels)
    }

    @Test(
        "there are two to ten ticks, all within, whatever the prices",
        arguments: [1e-18, 1.206e-9, 0.03, 1, 99.9, 77_111.39, 1e12, 1e17], [0, 1e-9, 1e-6, 0.001, 0.3, 5, 1e6])
    func anyRange(low: Double, spread: Double) {
        let axis = ChartAxis(prices: low, low * (1 + spread), ticks: 9)
        #expect((2...10).contains(axis.ticks.count))
        #expect(axis.ticks.allSatisfy { $0.value >= axis.low && $0.value <= axis.high })
        #expect(Set(axis.ticks.map(\.label)).count == axis.ticks.count, "no two read alike")
        #expect(axis.low >= 0 && axis.share(of: low) >= 0 && axis.share(of: low * (1 + spread)) <= 1)
    }
}
