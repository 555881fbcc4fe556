import Foundation
import Markets
import Testing

@testable import Engine
@testable import History

@Suite struct ExactnessTests {
    @Test("100,000 random prices of up to 18 digits between 1e-18 and 1e18 come back as they went in")
    func random() async throws {
        var random = SystemRandomNumberGenerator()
        var prices: [Price] = []
        while prices.count < 100_000 {
            if prices.count % 100 == 0 { await Task.yield() }  // the tests beside it share two threads
            let digits = Int.random(in: 1...18, using: &random)
            var text = String(Int.random(in: 1...9, using: &random))
            for _ in 1..<digits { text += String(Int.random(in: 0...9, using: &random)) }
            let text18 = "\(text)e\(Int.random(in: -18 - digits...18 - digits, using: &random))"
            if let price = Price(parsing: text18) {
                #expect(price.decimal == Decimal(string: text18))
                prices.append(price)
            }
        }
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        let markets = try (0..<1000).map { try MarketID("m\($0)") }
        for start in stride(from: 0, to: prices.count, by: markets.count) {
            let second = Double(start)
            var record = poll(second)
            record.samples = markets.indices.map {
                Sample(market: markets[$0], symbol: "", name: "", price: prices[start + $0], quotedAt: moment(second))
            }
            try writer.commit(record)
            await Task.yield()
        }
        let reader = try HistoryReader(at: folder.database)
        var wrong = 0
        for (index, market) in markets.enumerated() {
            await Task.yield()
            var place = index
            try reader.samples(of: market, in: usd(), since: nil, until: nil) { sample in
                if sample.price != prices[place] || Price(parsing: sample.price.description) != prices[place] {
                    wrong += 1
                }
                place += markets.count
            }
            #expect(place == prices.count + index)
        }
        #expect(wrong == 0)
    }
}
