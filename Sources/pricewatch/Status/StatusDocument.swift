import Engine
import Foundation
import Markets

/// The parsed status file. It may come from another release, with more or fewer fields.
struct StatusDocument: Decodable {
    var state: String
    var reasons: [Reason]?
    var pid: Int32?
    var writtenAt: Date
    var expiresAt: Date?
    var lastPoll: LastPoll?
    var consecutiveFailures: Int?
    var intervalSeconds: Double?
    var feeds: [Feed]?
    var summary: DaySummary?
    var markets: [Market]?
    var marketsOmitted: Int?
    var alerts: Alerts?
    var outbox: Outbox?
    var history: Stored?

    enum CodingKeys: String, CodingKey {
        case state, reasons, pid, feeds, markets, alerts, outbox, history
        case writtenAt = "written_at"
        case expiresAt = "expires_at"
        case lastPoll = "last_poll"
        case consecutiveFailures = "consecutive_failures"
        case intervalSeconds = "interval_s"
        case summary = "summary_24h"
        case marketsOmitted = "markets_omitted"
    }

    struct Reason: Decodable {
        var code: String
        var message: String
    }

    struct LastPoll: Decodable {
        var at: Date
        var outcome: String
        var feed: String
        var error: PollError?
    }

    struct PollError: Decodable {
        var kind: String
        var message: String
    }

    struct Feed: Decodable {
        var name: String
        var state: String
        var nextTryAt: Date?
        var requestsMonth: Int?
        var quotaMonth: Int?
        var quotaEndsAt: Date?

        enum CodingKeys: String, CodingKey {
            case name, state
            case nextTryAt = "next_try_at"
            case requestsMonth = "requests_month"
            case quotaMonth = "quota_month"
            case quotaEndsAt = "quota_ends_at"
        }
    }

    struct Market: Decodable {
        var market: String
        var symbol: String
        var name: String
        var currency: String
        var price: String?
        var quotedAt: Date?
        var state: String
        var reason: String?
        var change: Percent?
        var basis: String?

        enum CodingKeys: String, CodingKey {
            case market, symbol, name, currency, price, state, reason
            case quotedAt = "quoted_at"
            case change = "change_24h_percent"
            case basis = "change_24h_basis"
        }
    }

    struct Alerts: Decodable {
        var firing: [Event]
        var pending: [Event]
        var silences: [Silence]?
    }

    struct Silence: Decodable {
        var rule: String?
        var market: String?
        var until: Date
    }

    struct Event: Decodable {
        var rule: String
        var market: String
        var severity: String
        var condition: String
        var price: String?
        var since: Date?
        var note: String?
    }

    struct Outbox: Decodable {
        var queued: Int
        var oldestSeconds: Int?

        enum CodingKeys: String, CodingKey {
            case queued
            case oldestSeconds = "oldest_s"
        }
    }

    struct Stored: Decodable {
        var database: String
        var bytes: Int64
        var samples: Int64
        var oldestAt: Date?

        enum CodingKeys: String, CodingKey {
            case database, bytes, samples
            case oldestAt = "oldest_at"
        }
    }

    init(parsing bytes: Data) throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            let text = try container.decode(String.self)
            guard let date = Date(utcText: text) else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(text) is no time")
            }
            return date
        }
        self = try decoder.decode(StatusDocument.self, from: bytes)
    }
}

extension DaySummary: Decodable {
    private enum CodingKeys: String, CodingKey {
        case up, down, flat, unknown, gainers, losers
        case coverage = "coverage_percent"
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let coverage = try values.decode(Double.self, forKey: .coverage)
        self.init(changes: [], coverage: CoverageShare(tenths: Int((min(max(coverage, 0), 100) * 10).rounded())))
        up = try values.decode(Int.self, forKey: .up)
        down = try values.decode(Int.self, forKey: .down)
        flat = try values.decode(Int.self, forKey: .flat)
        unknown = try values.decode(Int.self, forKey: .unknown)
        gainers = try values.decode([Move].self, forKey: .gainers)
        losers = try values.decode([Move].self, forKey: .losers)
    }
}

extension DaySummary.Move: Decodable {
    private enum CodingKeys: String, CodingKey {
        case market
        case change = "change_percent"
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            market: try MarketID(try values.decode(String.self, forKey: .market)),
            change: try values.decode(Percent.self, forKey: .change))
    }
}

extension Percent: Decodable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // A double keeps two decimals for any percentage of practical size.
        let hundredths = (try container.decode(Double.self) * 100).rounded()
        guard abs(hundredths) <= 1e15 else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(hundredths) is no percentage")
        }
        self.init(hundredths: Int64(hundredths))
    }
}
