import Foundation
import Markets

@testable import Feeds

func ids(_ texts: String...) throws -> [MarketID] { try texts.map { try MarketID($0) } }

let usd = { try? Currency("usd") }()

func environment(_ url: String, key: Secret? = nil, timeout: Duration = .seconds(5)) throws -> FeedEnvironment {
    FeedEnvironment(
        feed: "coingecko", baseURL: try BaseURL(url), key: key, userAgent: "pricewatch/0 (+tests)", timeout: timeout)
}
