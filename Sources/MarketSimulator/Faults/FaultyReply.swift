/// Turns a proper answer into the one a fault makes of it; faults without prices never ask for it, and so
/// leave the walk where it is.
struct FaultyReply {
    let fault: Fault
    /// The request's `If-None-Match`. Only sound answers heed it: a fault of the body needs a body.
    let conditional: String?

    func reply(_ proper: () -> LoopbackServer.Answer) -> LoopbackServer.Reply {
        switch fault {
        case .ok, .nullPrices, .missing, .prices, .aged:
            return .answer(revalidated(proper()))
        case .drip(let interval):
            return .answer(changed(proper()) { .drip($0, every: interval) })
        case .truncate:
            return .answer(changed(proper()) { .truncated($0, sent: $0.count / 2) })
        case .badJSON:
            return .answer(changed(proper()) { .bytes(Array($0.prefix($0.count / 2))) })
        case .status(let code, let retryAfter):
            let headers = retryAfter.map { ["Retry-After": String($0)] } ?? [:]
            return .json(ErrorBody.of(status: code), status: code, headers: headers)
        case .error200:
            return .json(ErrorBody.rateLimited)
        case .html:
            let headers = ["Content-Type": "text/html; charset=UTF-8"]
            return .answer(.init(headers: headers, body: .text(ErrorBody.blockedPage)))
        case .huge(let count, let declaresLength):
            let headers = ["Content-Type": "application/json; charset=utf-8"]
            return .answer(.init(headers: headers, body: .huge(count: count, declaresLength: declaresLength)))
        case .gzipBomb(let unpacked):
            let headers = ["Content-Type": "application/json", "Content-Encoding": "gzip"]
            return .answer(.init(headers: headers, body: .bytes(GzipBomb.zeros(unpacked: unpacked))))
        case .reset: return .reset
        case .hang: return .hang
        case .reply(let reply): return reply
        }
    }

    private func revalidated(_ answer: LoopbackServer.Answer) -> LoopbackServer.Answer {
        guard let conditional, answer.status == 200, let tag = answer.headers["ETag"],
            ETag.matches(conditional, tag)
        else { return answer }
        var notModified = answer
        notModified.status = 304
        notModified.headers["Content-Type"] = nil
        notModified.body = .bytes([])
        return notModified
    }

    private func changed(
        _ answer: LoopbackServer.Answer, _ body: ([UInt8]) -> LoopbackServer.Body
    ) -> LoopbackServer.Answer {
        guard case .bytes(let bytes) = answer.body else { return answer }
        var changed = answer
        changed.body = body(bytes)
        return changed
    }
}
