import NIOHTTP1

/// CoinGecko's error replies: a status and a body, as recorded.
struct CoinGeckoError: Error {
    let status: Int
    let body: String

    static let coinNotFound = plain(404, "coin not found")
    static let incorrectPath = plain(404, "Incorrect path. Please check https://www.coingecko.com/api/")

    /// Public plans reach one year back.
    static let beyondOneYear = CoinGeckoError(
        status: 401,
        body: #"{"error":"#
            + coded(
                401, 10_012,
                "Your request exceeds the allowed time range. Public API users are limited to querying historical data "
                    + "within the past 365 days."
            ).body + "}")

    static func missing(_ parameter: String) -> CoinGeckoError { plain(422, "Missing parameter \(parameter)") }
    static func invalid(_ parameter: String) -> CoinGeckoError { plain(400, "invalid \(parameter)") }

    /// CoinGecko's error for an HTTP status.
    static func of(status: Int) -> CoinGeckoError {
        switch status {
        case 401: coded(status, 10_002, "API Key Missing")
        case 404: coinNotFound
        case 422: missing("vs_currency")
        case 429:
            coded(
                status, 429,
                "You've exceeded the Rate Limit. Please visit https://www.coingecko.com/en/api/pricing to subscribe to "
                    + "our API plans for higher rate limits.")
        case 500: CoinGeckoError(status: status, body: #"{"status":500,"error":"Internal Server Error"}"#)
        default: coded(status, status, HTTPResponseStatus(statusCode: status).reasonPhrase)
        }
    }

    private static func plain(_ status: Int, _ message: String) -> CoinGeckoError {
        CoinGeckoError(status: status, body: #"{"error":"\#(message)"}"#)
    }

    private static func coded(_ status: Int, _ code: Int, _ message: String) -> CoinGeckoError {
        CoinGeckoError(status: status, body: #"{"status":{"error_code":\#(code),"error_message":"\#(message)"}}"#)
    }
}
