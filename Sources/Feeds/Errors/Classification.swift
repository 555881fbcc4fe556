import Foundation
import HTTP
import Markets

/// Turns a transport fault, or an answer's status, headers and body, into an error, or none.
struct Classification: Sendable {
    /// `get https://api.coingecko.com/api/v3/coins/markets`
    var operation: String
    var acceptedContent: AcceptedContent = .json
    var providerErrors = ProviderErrors()
    /// Hides what we sent in texts of the server, which may quote it.
    var redaction = Redaction([])

    /// The error of this operation, without what we sent.
    func located(_ error: FeedError) -> FeedError {
        var error = error
        error.operation = operation
        error.cause = redaction.apply(to: error.cause)
        return error
    }

    func error(from fault: TransportFault) -> FeedError {
        let error: FeedError =
            switch fault {
            case .dns(let text):
                .init(
                    .dns, text, hint: "check the host in url and this machine's name resolution", isRetryable: true)
            case .connect(let text): .init(.connect, text, hint: "check url and network", isRetryable: true)
            case .tls(let text): .init(.tls, text, hint: "check url, this machine's clock and its ca-certificates")
            case .timeout(let limit):
                .init(.timeout, "no complete answer within \(limit.unitsText)", isRetryable: true, scope: .request)
            case .transport(let text): .init(.transport, text, isRetryable: true, scope: .request)
            case .tooLarge(let limit):
                .init(
                    .tooLarge, "the answer is larger than \(limit >> 20) MiB and was cut off", hint: "check url",
                    scope: .request)
            case .cancelled: .init(.transport, "ended because the process stops")
            }
        return located(error)
    }

    /// Nil if the body is worth reading. The caller handles 304: only the caller knows whether the request was
    /// conditional.
    func error(in answer: HTTPAnswer, now: Date) -> FeedError? {
        guard var error = cause(of: answer) else { return nil }
        error.status = answer.status
        error.notBefore = NotBefore(error.kind, answer.headers, now: now)
        return error
    }

    private func cause(of answer: HTTPAnswer) -> FeedError? {
        if answer.isSuccess, let cut = answer.cut { return error(from: cut) }
        let isHTML = answer.isHTML
        let named = isHTML ? nil : EnvelopeFailure(answer.body)
        if answer.isSuccess, !isHTML, named == nil {
            if acceptedContent.admits(answer.mediaType) { return nil }
            return located(
                FeedError(
                    .contentType,
                    "answered \(quoted(answer.headers["Content-Type"] ?? "nothing", limit: 60)) in place of JSON",
                    hint: "check url; a json feed may set content_type: any", scope: .request))
        }
        var error = meaning(of: answer, isHTML: isHTML, named: named)
        let inside = answer.isSuccess && named != nil ? "with an error inside: " : ""
        error.cause = "\(answer.status) \(inside)\(error.cause)"
        if let named, !named.message.isEmpty {
            error.cause += ": " + quoted(named.message)
        } else if (300...399).contains(answer.status), let place = answer.headers["Location"] {
            error.cause += ": " + quoted(place, limit: 100)
        }
        return located(error)
    }

    /// In this order: a code or message in the provider's tables, an HTML page, the HTTP status. If the status claims
    /// success, the status that the body names is used instead.
    private func meaning(of answer: HTTPAnswer, isHTML: Bool, named: EnvelopeFailure?) -> FeedError {
        if let code = named?.code, let error = providerErrors.codes[code] { return error }
        if let named, let known = providerErrors.texts.first(where: { named.message.hasPrefix($0.beginning) }) {
            return known.error
        }
        if isHTML, answer.status == 403 || answer.isSuccess {
            return providerErrors.webPage
        }
        var status = answer.status
        if answer.isSuccess, let code = named?.code, (400...599).contains(code) { status = code }
        return providerErrors.statuses[status] ?? FeedError.byStatus.first { $0.status.contains(status) }?.error
            ?? FeedError(.badStatus, "an unexpected status", hint: "check url")
    }

    private func quoted(_ text: String, limit: Int = 200) -> String {
        SafeText.line(redaction.apply(to: text), atMost: limit)
    }
}

extension HTTPAnswer {
    /// `text/html` from `Text/HTML; charset=utf-8`; nil without a `Content-Type`.
    fileprivate var mediaType: String? {
        headers["Content-Type"]?.prefix { $0 != ";" && $0 != "," }.filter { !$0.isWhitespace }.lowercased()
    }

    fileprivate var isHTML: Bool {
        // Some servers label plain text and JSON as HTML.
        let first = body.first { !$0.isJSONBlank }
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") { return false }
        if let type = mediaType, type == "text/html" || type == "application/xhtml+xml" {
            return EnvelopeFailure(body) == nil
        }
        let beginning = String(decoding: body.prefix(120), as: UTF8.self).lowercased()
            .trimmingCharacters(in: CharacterSet.whitespacesAndNewlines.union(["\u{FEFF}"]))
        return beginning.hasPrefix("<!doctype html") || beginning.hasPrefix("<html")
    }
}
