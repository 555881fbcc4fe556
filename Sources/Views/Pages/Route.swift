import Engine
import Foundation
import Markets

/// A page or a document, with what it is asked for.
package enum Route: Hashable, Sendable {
    case markets(MarketOrder = .configured, only: MarketState? = nil)
    case market(MarketID, ChartWindow = .day)
    case alerts(since: Duration = .hours(7 * 24))
    case status
    case statusJSON, feed, health, stylesheet
    case picture(MarketID, ChartWindow = .day)
    /// The prices of a chart as CSV.
    case records(MarketID, ChartWindow = .day)

    package typealias MarketState = MarketBoard.Entry.State

    /// Whether it is looked at by people, and may be refreshed.
    package var isPage: Bool {
        switch self {
        case .markets, .market, .alerts, .status: true
        case .statusJSON, .feed, .health, .stylesheet, .picture, .records: false
        }
    }
}

/// The time that a chart shows.
package enum ChartWindow: String, Hashable, Sendable, CaseIterable {
    case day = "24h"
    case week = "7d"
    case month = "30d"
    case year = "1y"

    package var length: Duration {
        switch self {
        case .day: .hours(24)
        case .week: .hours(7 * 24)
        case .month: .hours(30 * 24)
        case .year: .hours(365 * 24)
        }
    }

    var candleWords: String {
        switch self {
        case .day: "by the hour"
        case .week: "by 6 hours"
        case .month: "by the day"
        case .year: "by the week"
        }
    }

    /// Of the candles in the table below the chart.
    package var candle: Duration {
        switch self {
        case .day: .hours(1)
        case .week: .hours(6)
        case .month: .hours(24)
        case .year: .hours(7 * 24)
        }
    }
}

/// The order of the markets in their table.
package enum MarketOrder: String, Hashable, Sendable, CaseIterable {
    /// As in the status: the named ones first.
    case configured
    case market, price, change, age, state
}

// MARK: Requests

extension Route {
    /// Why a request has no route.
    package enum Fault: Error {
        /// The target or a value of its query cannot be read.
        case malformed
        case unknown
    }

    /// Reads the target of a request, such as `/m/bitcoin?window=7d`. What a query has beside the known names is
    /// ignored.
    package init(target: String) throws(Fault) {
        guard target.utf8.first == UInt8(ascii: "/"), target.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .malformed
        }
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let query = try Query(parts.count == 2 ? parts[1] : "")
        let path = parts[0].dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        switch path.count == 2 && path[0] == "m" ? "m" : String(parts[0]) {
        case "m": self = try Self.market(path[1], query)
        case "/":
            self = .markets(
                try query.value("sort", MarketOrder.init(rawValue:)) ?? .configured,
                only: try query.value("state", MarketState.init(rawValue:)))
        case "/alerts":
            let since = try query.value("since") { Duration(unitsText: $0).flatMap { $0 > .zero ? $0 : nil } }
            self = since.map { .alerts(since: $0) } ?? .alerts()
        case "/status": self = .status
        case "/status.json": self = .statusJSON
        case "/feed.atom": self = .feed
        case "/healthz": self = .health
        case "/style.css": self = .stylesheet
        default: throw .unknown
        }
    }

    /// An id that ends like a file has its last dot encoded.
    private static func market(_ segment: Substring, _ query: Query) throws(Fault) -> Route {
        let window = try query.value("window", ChartWindow.init(rawValue:)) ?? .day
        let kind = [".svg", ".csv"].first { segment.hasSuffix($0) }
        guard let text = String(segment.dropLast(kind?.count ?? 0)).removingPercentEncoding,
            let market = try? MarketID(text)
        else { throw .unknown }
        switch kind {
        case ".svg": return .picture(market, window)
        case ".csv": return .records(market, window)
        default: return .market(market, window)
        }
    }

    /// How often a page asks to be loaded again; nil: never. Read apart from the route, which it does not change.
    package static func refresh(target: String) -> Duration? {
        let query = target.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        return (try? Query(query))?["refresh"] == "60" ? .seconds(60) : nil
    }

    private struct Query {
        private var values: [String: String] = [:]

        init(_ text: Substring) throws(Fault) {
            for item in text.split(separator: "&") {
                let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard let value = (pair.count == 2 ? String(pair[1]) : "").removingPercentEncoding else {
                    throw .malformed
                }
                values[String(pair[0])] = value
            }
        }

        subscript(_ name: String) -> String? { values[name] }

        func value<Value>(_ name: String, _ read: (String) -> Value?) throws(Fault) -> Value? {
            guard let text = values[name] else { return nil }
            guard let value = read(text) else { throw .malformed }
            return value
        }
    }
}

// MARK: Links

/// How a page refers to the others: by their paths on the server, or by their files.
package struct PageLinks: Sendable {
    /// Served pages that are refreshed link to pages that are, too.
    package var refresh: Duration?
    /// The way from a written page to the folder of all: empty, or `../`; nil: served.
    package var files: String?

    package init(refresh: Duration? = nil, files: String? = nil) {
        self.refresh = refresh
        self.files = files
    }

    /// nil: there is no such file.
    package func path(_ route: Route) -> String? {
        if let files {
            // A name on disk is percent-encoded, so its link is, twice.
            return route.file.map { files + $0.replacingBytes(of: ["%"], with: "%25") }
        }
        let query = route.query + (route.isPage && refresh != nil ? [("refresh", "60")] : [])
        return route.path + (query.isEmpty ? "" : "?") + query.map { "\($0)=\($1)" }.joined(separator: "&")
    }
}

extension Route {
    fileprivate var path: String {
        switch self {
        case .markets: "/"
        case .market(let market, _): "/m/" + market.pathSegment
        case .alerts: "/alerts"
        case .status: "/status"
        case .statusJSON: "/status.json"
        case .feed: "/feed.atom"
        case .health: "/healthz"
        case .stylesheet: "/style.css"
        case .picture(let market, _): "/m/" + market.pathSegment + ".svg"
        case .records(let market, _): "/m/" + market.pathSegment + ".csv"
        }
    }

    /// What differs from the defaults; no value needs an escape.
    fileprivate var query: [(String, String)] {
        switch self {
        case .markets(let order, let state):
            (order == .configured ? [] : [("sort", order.rawValue)]) + (state.map { [("state", $0.rawValue)] } ?? [])
        case .market(_, let window), .picture(_, let window), .records(_, let window):
            window == .day ? [] : [("window", window.rawValue)]
        case .alerts(let since): self == .alerts() ? [] : [("since", since.unitsText)]
        case .status, .statusJSON, .feed, .health, .stylesheet: []
        }
    }

    /// The file in the folder of written pages; nil: what only a server can answer, and what a page already has: its
    /// chart and prices as files of their own would be three quarters of all bytes.
    package var file: String? {
        switch self {
        case .markets: self == .markets() ? "index.html" : nil
        case .market(let market, let window): Self.file(market, window)
        case .alerts: self == .alerts() ? "alerts.html" : nil
        case .status: "status.html"
        case .statusJSON: "status.json"
        case .feed: "feed.atom"
        case .stylesheet: "style.css"
        case .health, .picture, .records: nil
        }
    }

    private static func file(_ market: MarketID, _ window: ChartWindow) -> String {
        // A file's name has at most 255 bytes, and some file systems know no case.
        let name = market.pathSegment
        let isPlain = name.utf8.count <= 200 && market.text.lowercased() == market.text
        let stem = isPlain ? name : StableID.of([market.text])
        return "m/" + stem + (window == .day ? "" : "-\(window.rawValue)") + ".html"
    }
}
