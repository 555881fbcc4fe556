import Foundation
import HTTP
import Markets

/// Turns a transport fault, or an answer's status, headers and body, into an error, or none.
struct Classification: Sendable {
    /// `get https://api.coingecko.com/api/v3/coins/markets`
    var operation: String
    var acceptedStatus: ClosedRange<Int> = 200...299
    var acceptedContent: AcceptedContent = .json
    /// The meaning of the provider's own codes.
    var codes: [Int: ErrorRule] = [:]
    var statuses: [Int: ErrorRule] = [:]
    /// The meaning of its messages, by prefix.
    var texts: [(beginning: String, rule: ErrorRule)] = []
    /// Hides what we sent in texts of the server, which may quote it.
    var redaction = Redaction([])

    func error(from fault: TransportFault) -> FeedError {
        switch fault {
        case .dns(let text):
            failure(.dns, text, hint: "check the host in url and this machine's name resolution")
        case .connect(let text):
            failure(.connect, text, hint: "check url and network")
        case .tls(let text):
            failure(.tls, text, hint: "check url, this machine's clock and its ca-certificates", retryable: false)
        case .timeout(let limit):
            failure(.timeout, "no complete answer within \(limit.unitsText)", scope: .request)
        case .transport(let text):
            failure(.transport, text, scope: .request)
        case .tooLarge(let limit):
            failure(
                .tooLarge, "the answer is larger than \(limit >> 20) MiB and was cut off", hint: "check url",
                retryable: false, scope: .request)
        case .cancelled:
            failure(.transport, "ended because the process stops", retryable: false)
        }
    }

    /// Nil if the body is worth reading. The caller handles 304: only the caller knows whether the request was
    /// conditional.
    func error(in answer: HTTPAnswer, now: Date) -> FeedError? {
        let accepted = acceptedStatus.contains(answer.status)
        if accepted, let cut = answer.cut {
            var error = error(from: cut)
            error.status = answer.status
            return error
        }
        let isHTML = Self.isHTML(answer)
        let named = isHTML ? nil : EnvelopeFailure(answer.body)
        if accepted, !isHTML, named == nil {
            let type = answer.headers["Content-Type"]
            guard !acceptedContent.admits(type) else { return nil }
            var error = failure(
                .contentType, "answered \(quoted(type ?? "nothing", limit: 60)) in place of JSON",
                hint: "check url; a json feed may set content_type: any", retryable: false, scope: .request)
            error.status = answer.status
            return error
        }
        let rule = rule(for: answer, isHTML: isHTML, named: named)
        var cause = "\(answer.status) " + (accepted && named != nil ? "with an error inside: " : "") + rule.cause
        if let named, !named.message.isEmpty {
            cause += ": " + quoted(named.message)
        } else if (300...399).contains(answer.status), let place = answer.headers["Location"] {
            cause += ": " + quoted(place, limit: 100)
        }
        var error = failure(rule.kind, cause, hint: rule.hint, retryable: rule.isRetryable, scope: rule.scope)
        error.status = answer.status
        error.code = named?.code
        error.notBefore = NotBefore(rule.kind, answer.headers, now: now)
        return error
    }

    /// In this order: a code or message in the provider's tables, an HTML page, the HTTP status. If the status claims
    /// success, the status that the body names is used instead.
    private func rule(for answer: HTTPAnswer, isHTML: Bool, named: EnvelopeFailure?) -> ErrorRule {
        if let code = named?.code, let rule = codes[code] { return rule }
        if let named, let known = texts.first(where: { named.message.hasPrefix($0.beginning) }) { return known.rule }
        if isHTML, answer.status == 403 || (200...299).contains(answer.status) { return .htmlPage }
        if acceptedStatus.contains(answer.status), let code = named?.code, (400...599).contains(code) {
            return .of(status: code)
        }
        return statuses[answer.status] ?? .of(status: answer.status)
    }

    private static func isHTML(_ answer: HTTPAnswer) -> Bool {
        if let type = answer.headers["Content-Type"],
            ["text/html", "application/xhtml+xml"].contains(MediaType.name(of: type))
        {
            // Some servers label plain text and JSON as HTML; check the first character.
            let first = answer.body.first { !$0.isJSONBlank }
            if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") { return false }
            if EnvelopeFailure(answer.body) != nil { return false }
            return true
        }
        let beginning = String(decoding: answer.body.prefix(120), as: UTF8.self).lowercased()
            .trimmingCharacters(in: CharacterSet.whitespacesAndNewlines.union(["\u{FEFF}"]))
        return beginning.hasPrefix("<!doctype html") || beginning.hasPrefix("<html")
    }

    private func quoted(_ text: String, limit: Int = 200) -> String {
        SafeText.line(redaction.apply(to: text), atMost: limit)
    }

    func failure(
        _ kind: FeedError.Kind, _ cause: String, hint: String? = nil, retryable: Bool = true,
        scope: FeedError.Scope = .feed
    ) -> FeedError {
        FeedError(
            kind, operation: operation, cause: redaction.apply(to: cause), hint: hint, isRetryable: retryable,
            scope: scope)
    }
}

extension ErrorRule {
    /// A web page in place of data: from a firewall or a login page on the way.
    static let htmlPage = ErrorRule(
        .blocked, "a web page came in place of data",
        hint: "the provider or a proxy blocks this address: use a key, or another address")
}
