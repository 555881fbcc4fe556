internal import NIOHTTP1

/// CoinGecko's error bodies, in the shapes that were recorded.
enum ErrorBody {
    static func plain(_ text: String) -> String { #"{"error":\#(jsonText(text))}"# }

    static let coinNotFound = plain("coin not found")
    static let incorrectPath = plain("Incorrect path. Please check https://www.coingecko.com/api/")

    static let rateLimited = status(
        429,
        "You've exceeded the Rate Limit. Please visit https://www.coingecko.com/en/api/pricing to subscribe to our "
            + "API plans for higher rate limits.")

    /// Public plans reach one year back.
    static let beyondOneYear =
        #"{"error":"#
        + status(
            10_012,
            "Your request exceeds the allowed time range. Public API users are limited to querying historical data "
                + "within the past 365 days.") + "}"

    /// The body that goes with an HTTP status.
    static func of(status code: Int) -> String {
        switch code {
        case 401: status(10_002, "API Key Missing")
        case 404: coinNotFound
        case 422: plain("Missing parameter vs_currency")
        case 429: rateLimited
        case 500: #"{"status":500,"error":"Internal Server Error"}"#
        default: status(code, HTTPResponseStatus(statusCode: code).reasonPhrase)
        }
    }

    static let blockedPage = """
        <!DOCTYPE html>
        <html lang="en"><head><title>Just a moment...</title></head>
        <body><h1>Checking your browser</h1><p>Enable JavaScript and cookies to continue.</p></body></html>

        """

    private static func status(_ code: Int, _ message: String) -> String {
        #"{"status":{"error_code":\#(code),"error_message":\#(jsonText(message))}}"#
    }
}
