import Foundation
import HTTP
import Markets

/// Requests to one engine, and what their answers mean. No text holds a secret, even if the answer does.
struct ExportClient: Sendable {
    let name: String
    let address: ExportAddress
    let transport: any HTTPTransport
    /// For a `Retry-After` that is a date.
    let now: @Sendable () -> Date

    /// Of one exchange, from name resolution to the last byte.
    private static let timeout = Duration.seconds(30)
    /// Bytes of an answer to a write that are read.
    private static let bodyLimit = 64 << 10

    /// What an answer says about the lines of its request.
    enum Written: Hashable, Sendable {
        case taken
        /// These lines are refused for good, or some of them. `isTooOld`: the engine keeps nothing from so long ago.
        case refused(cause: String, isTooOld: Bool = false)
        /// Whatever the lines are.
        case failed(cause: String, retryAfter: Duration?)
        case blocked(cause: String)
        case interrupted
    }

    /// Posts lines, packed.
    func write(_ lines: ArraySlice<UInt8>) async -> Written {
        var headers = fields
        headers.append("Content-Type", "text/plain; charset=utf-8")
        let packed = Gzip.pack(lines)
        if packed != nil { headers.append("Content-Encoding", "gzip") }
        let request = WireRequest(
            url: address.writeURL, headers: headers, body: packed ?? Data(lines), bodyLimit: Self.bodyLimit)
        do throws(TransportFault) {
            let answer = try await transport.exchange(request, within: Self.timeout)
            return meaning(of: answer, lines: lines.count { $0 == UInt8(ascii: "\n") })
        } catch {
            if error == .cancelled { return .interrupted }
            return .failed(cause: "\(operation): \(safe(error.cause))", retryAfter: nil)
        }
    }

    private enum Verdict { case taken, passing, refused, blocked }

    /// The first row that holds the status; any other status blocks, as a redirect does.
    private static let verdicts: [(status: ClosedRange<Int>, verdict: Verdict)] = [
        (200...299, .taken), (408...408, .passing), (429...429, .passing), (500...599, .passing),
        (400...400, .refused), (413...413, .refused), (422...422, .refused),
    ]

    private func meaning(of answer: HTTPAnswer, lines: Int) -> Written {
        let cause = text(of: answer, doing: operation, hint: Self.hint(answer.status))
        switch Self.verdicts.first(where: { $0.status.contains(answer.status) })?.verdict ?? .blocked {
        case .taken:
            // A login page or a proxy's own page took nothing.
            let isPage = answer.headers["Content-Type"]?.lowercased().hasPrefix("text/html") == true
            let page = Written.blocked(cause: "\(operation): a web page came in place of an answer (check the URL)")
            return isPage ? page : .taken
        case .passing: return .failed(cause: cause, retryAfter: answer.headers.retryAfter(now: now()))
        case .refused:
            let words = String(decoding: answer.body, as: UTF8.self)
            let isTooOld = words.contains("beyond retention policy dropped=\(lines)")
            return .refused(cause: cause, isTooOld: isTooOld)
        case .blocked: return .blocked(cause: cause)
        }
    }

    // MARK: Reading

    /// The body of an answer to a GET, or with a form to a POST.
    func read(_ url: String, form: String? = nil, upTo limit: Int) async throws(ReadFault) -> Data {
        var headers = fields
        if form != nil { headers.append("Content-Type", "application/x-www-form-urlencoded") }
        let request = WireRequest(
            url: url, headers: headers, body: form.map { Data($0.utf8) }, bodyLimit: limit)
        let answer: HTTPAnswer
        do throws(TransportFault) { answer = try await transport.exchange(request, within: Self.timeout) } catch {
            throw error.isTooLarge ? .tooLarge : .failed("\(reading): \(safe(error.cause))")
        }
        if answer.cut?.isTooLarge == true { throw .tooLarge }
        guard answer.isSuccess else {
            let isAbsent = [400, 404, 405].contains(answer.status)
            throw .failed(
                text(of: answer, doing: reading, hint: isAbsent ? Self.readingHint : Self.hint(answer.status)))
        }
        if let cut = answer.cut { throw .failed("\(reading): \(safe(cut.cause))") }
        return answer.body
    }

    private var fields: HTTPFields {
        HTTPFields(HTTPFields.ours.all + address.fields)
    }

    // MARK: Texts

    private var operation: String { "export to \(name)" }
    private var reading: String { "read from \(name)" }

    private func text(of answer: HTTPAnswer, doing operation: String, hint: String?) -> String {
        let words = safe(EngineWords(answer.body).text)
        return operation + ": " + answer.statusText + (words.isEmpty ? "" : ": \(words)")
            + (hint.map { " (\($0))" } ?? "")
    }

    private static let readingHint =
        "only VictoriaMetrics can be read back; where that is another server, add query: the URL in front of /api/v1/export"

    private static func hint(_ status: Int) -> String? {
        switch status {
        case 300...399: "redirects are not followed: give the URL that it leads to"
        case 401: "check token, or user and password"
        case 403: "check what token or user may do"
        case 404: "check the URL; InfluxDB: create the database first"
        default: nil
        }
    }

    /// Hides secrets before cutting: part of a secret would not be recognised.
    private func safe(_ text: String) -> String { SafeText.line(address.redaction.apply(to: text)) }
}

/// Why nothing was read back.
package enum ReadFault: Error, Hashable, Sendable {
    /// The answer is larger than what is held at once.
    case tooLarge
    case failed(String)
}

extension TransportFault {
    fileprivate var isTooLarge: Bool { if case .tooLarge = self { true } else { false } }
}

/// The engine's own words in the body of an error: InfluxDB's are JSON, VictoriaMetrics' plain text.
private struct EngineWords: Decodable {
    private var error: String?
    private var message: String?
    private(set) var text = ""

    private enum CodingKeys: CodingKey { case error, message }

    init(_ body: Data) {
        if let own = try? JSONDecoder().decode(EngineWords.self, from: body) { self = own }
        let plain = String(decoding: body.prefix(4096), as: UTF8.self)
        text = [error, message].compactMap(\.self).first { !$0.isEmpty } ?? plain
    }
}
