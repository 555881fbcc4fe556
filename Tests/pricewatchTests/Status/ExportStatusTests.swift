import Engine
import Foundation
import Markets
import Testing

@testable import Views
@testable import pricewatch

/// An export in the status file, in the terminal and in the metrics.
@Suite struct ExportStatusTests {
    private static let now = Date(timeIntervalSince1970: 1_795_255_200)

    private func status() -> StatusReport {
        var export = StatusReport.Export()
        export.name = "cluster"
        export.state = .failing
        export.lag = .minutes(5)
        (export.pending, export.sent, export.refused, export.lost) = (1200, 70, 3, 1)
        export.error = "connect: refused"
        var status = StatusReport()
        (status.state, status.writtenAt, status.exports) = (.degraded, Self.now, [export])
        return status
    }

    @Test("the status file has what the contract names, and reads it back")
    func file() throws {
        let data = Data(status().json)
        let document = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let export = try #require((document["exports"] as? [[String: Any]])?.first)
        #expect(Set(export.keys) == ["name", "state", "lag_s", "pending", "refused", "lost", "error"])
        #expect(export["lag_s"] as? Int == 300)
        let back = try #require(StatusReport(json: data)?.exports.first)
        #expect(back.state == .failing && back.pending == 1200 && back.error == "connect: refused")
    }

    @Test("the terminal says what waits, how old it is, and what went wrong")
    func words() {
        #expect(
            status().exports[0].words
                == "failing, 1200 samples to send, the oldest 5 min old, 3 lines refused, 1 sample lost")
    }

    @Test("the metrics have a sample of each")
    func metrics() {
        let text = status().metrics(polls: [:], expiresAt: nil)
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("pricewatch_export") }
        #expect(
            lines == [
                #"pricewatch_export_lag_seconds{export="cluster"} 300"#,
                #"pricewatch_export_pending_samples{export="cluster"} 1200"#,
                #"pricewatch_export_sent_total{export="cluster"} 70"#,
                #"pricewatch_export_refused_total{export="cluster"} 3"#,
                #"pricewatch_export_lost_total{export="cluster"} 1"#,
            ])
    }
}
