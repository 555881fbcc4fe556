import Engine
import Foundation
import HTTP

/// Sends batches to one engine, one request at a time.
package struct Exporter: Sendable {
    package let name: String
    let client: ExportClient

    /// Requests of a batch after which an engine that took nothing is not asked further.
    private static let patience = 100

    /// - Parameters:
    ///   - name: of the export, in texts.
    ///   - now: the clock, for a `Retry-After` that is a date.
    package init(
        name: String, address: ExportAddress, transport: any HTTPTransport, now: @escaping @Sendable () -> Date
    ) {
        self.name = name
        client = ExportClient(name: name, address: address, transport: transport, now: now)
    }

    /// Sends the batch. A part that the engine refuses is halved until the bad line is alone. An engine that takes
    /// nothing of the batch is misconfigured rather than fed bad lines, and the batch is kept; one that only calls the
    /// lines too old is not.
    package func send(_ batch: ExportBatch) async -> ExportOutcome {
        let lines = LineProtocol(batch)
        guard lines.count > 0 else { return .sent(refused: []) }
        var refused: [ExportOutcome.RefusedLine] = []
        var works = false
        var requests = 0
        // The oldest last.
        var waiting = [0..<lines.count]
        while let part = waiting.popLast() {
            requests += 1
            switch await client.write(lines[part]) {
            case .taken: works = true
            case .refused(let cause, let isTooOld) where part.count == 1 || isTooOld:
                works = works || isTooOld
                refused += part.map { ExportOutcome.RefusedLine(line: lines.text($0), cause: cause) }
                if !works, requests >= Self.patience || waiting.isEmpty { return .blocked(cause: cause) }
            case .refused:
                let middle = part.lowerBound + part.count / 2
                waiting += [middle..<part.upperBound, part.lowerBound..<middle]
            case .failed(let cause, let retryAfter): return .failed(cause: cause, retryAfter: retryAfter)
            case .blocked(let cause): return .blocked(cause: cause)
            case .interrupted: return .interrupted
            }
        }
        return .sent(refused: refused)
    }
}
