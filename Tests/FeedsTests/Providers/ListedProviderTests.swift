import Foundation
import HTTP
import Markets
import Testing

@testable import Feeds

@Suite("The list of providers")
struct ListedProviderTests {
    @Test func namesAreUnique() {
        #expect(Set(Providers.all.map { $0.name }).count == Providers.all.count)
        #expect(Providers.named("kraken") != nil && Providers.named("json") == nil)
    }

    @Test(arguments: Providers.all.map { $0.name })
    func everyPlanHasAHostAndAKeyWhereItNeedsOne(_ name: String) throws {
        let type = try #require(Providers.named(name))
        #expect(type.terms[.public] != nil)
        for (plan, terms) in type.terms {
            _ = try BaseURL(terms.baseURL)
            #expect(type.init(plan: plan).headers(with: Secret("k")).isEmpty == (plan == .public), "\(name) \(plan)")
            #expect(terms.every >= .seconds(60))
        }
    }

    @Test(
        arguments: [
            ("coingecko", .demo, "x-cg-demo-api-key", 10_000, 300),
            ("coingecko", .pro, "x-cg-pro-api-key", 100_000, 60),
            ("coinpaprika", .public, nil, 20_000, 60), ("coinpaprika", .pro, "Authorization", nil, 60),
            ("coinmarketcap", .public, nil, nil, 60), ("coinmarketcap", .demo, "X-CMC_PRO_API_KEY", 15_000, 300),
            ("binance", .public, nil, nil, 60), ("kraken", .public, nil, nil, 60),
        ] as [(String, ProviderPlan, String?, Int?, Int)])
    func plans(_ name: String, _ plan: ProviderPlan, _ header: String?, _ quota: Int?, _ every: Int) throws {
        let type = try #require(Providers.named(name))
        #expect(type.init(plan: plan).headers(with: Secret("k")).first?.name == header)
        #expect(type.terms[plan]?.quotaMonth == quota)
        #expect(type.terms[plan]?.every == .seconds(every))
    }
}
