import CZlib
import Foundation
import HTTP
import Synchronization

/// A time-series engine without sockets: takes line protocol, and answers VictoriaMetrics' `/api/v1/export`.
package final class LineEngine: HTTPTransport {
    package struct Sample: Hashable, Sendable {
        package var time: Int64
        package var value: String

        package init(time: Int64, value: String) { (self.time, self.value) = (time, value) }
    }

    private struct State {
        var requests: [WireRequest] = []
        var bodies: [String] = []
        /// By the labels as the line writes them, with the field's name.
        var held: [String: [Sample]] = [:]
        var hidden: [String: [Sample]] = [:]
    }

    private let state = Mutex(State())
    /// What a write is answered; nil: its lines are taken and 204.
    private let answer: @Sendable (_ lines: [Substring], _ request: Int) -> HTTPAnswer?
    /// What was taken is shown only after `/internal/force_flush`.
    private let hides: Bool

    package init(
        hides: Bool = false, answer: @escaping @Sendable ([Substring], Int) -> HTTPAnswer? = { _, _ in nil }
    ) {
        (self.hides, self.answer) = (hides, answer)
    }

    package static func answer(_ status: Int, _ text: String = "", _ headers: HTTPFields = [:]) -> HTTPAnswer {
        HTTPAnswer(status: status, headers: headers, body: Data(text.utf8))
    }

    package var requests: [WireRequest] { state.withLock { $0.requests } }
    /// Unpacked, of the writes.
    package var bodies: [String] { state.withLock { $0.bodies } }
    /// By `market=bitcoin,currency=usd price`.
    package var held: [String: [Sample]] { state.withLock { $0.held } }

    package func change(_ body: @Sendable (inout [String: [Sample]]) -> Void) {
        state.withLock { body(&$0.held) }
    }

    package func exchange(_ request: WireRequest, within timeout: Duration) async throws(TransportFault) -> HTTPAnswer {
        state.withLock { $0.requests.append(request) }
        let path = URLComponents(string: request.url)?.path ?? ""
        if path.hasSuffix("/api/v1/export") { return exported(String(decoding: request.body ?? Data(), as: UTF8.self)) }
        if path.hasSuffix("/internal/force_flush") {
            state.withLock { state in
                state.held.merge(state.hidden) { $0 + $1 }
                state.hidden = [:]
            }
            return Self.answer(200)
        }
        guard request.method == "POST" else { return Self.answer(404, "no such page") }
        return write(request)
    }

    private func write(_ request: WireRequest) -> HTTPAnswer {
        let isPacked = request.headers["Content-Encoding"] == "gzip"
        let body = isPacked ? Self.unpacked(request.body ?? Data()) : request.body ?? Data()
        let text = String(decoding: body, as: UTF8.self)
        let number = state.withLock { state in
            state.bodies.append(text)
            return state.bodies.count
        }
        let lines = text.split(separator: "\n")
        if let answer = answer(lines, number) { return answer }
        state.withLock { state in
            for line in lines {
                // Names with blanks are the business of other tests.
                let parts = line.split(separator: " ")
                let field = parts[1].split(separator: "=")
                let name = "\(parts[0]) \(field[0])"
                let sample = Sample(time: Int64(parts[2]) ?? 0, value: String(field[1]))
                if hides {
                    state.hidden[name, default: []].append(sample)
                } else {
                    state.held[name, default: []].append(sample)
                }
            }
        }
        return Self.answer(204)
    }

    private func exported(_ form: String) -> HTTPAnswer {
        let items = URLComponents(string: "?" + form)?.queryItems ?? []
        func bound(_ name: String) -> Double { items.first { $0.name == name }?.value.flatMap(Double.init) ?? 0 }
        let (start, end) = (bound("start"), bound("end"))
        let held = state.withLock { $0.held }
        var lines: [String] = []
        for selector in items.filter({ $0.name == "match[]" }).compactMap(\.value) {
            guard let labels = selector.wholeMatch(of: /pricewatch_price\{currency="(.*)",market="(.*)"\}/) else {
                continue
            }
            let (currency, market) = (labels.1, labels.2)
            let samples = (held["pricewatch,currency=\(currency),market=\(market) price"] ?? [])
                .filter { (start...end).contains(Double($0.time) / 1000) }
            guard !samples.isEmpty else { continue }
            lines.append(
                """
                {"metric":{"__name__":"pricewatch_price","currency":"\(currency)","market":"\(market)"},\
                "values":[\(samples.map(\.value).joined(separator: ","))],\
                "timestamps":[\(samples.map { "\($0.time)" }.joined(separator: ","))]}
                """)
        }
        return Self.answer(200, lines.joined(separator: "\n"))
    }

    /// Throws away what is damaged.
    package static func unpacked(_ packed: Data) -> Data {
        var stream = z_stream()
        inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        defer { inflateEnd(&stream) }
        var output = [UInt8](repeating: 0, count: 16 << 20)
        var input = [UInt8](packed)
        let count = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(output.count)
                let end = inflate(&stream, Z_FINISH)
                return end == Z_STREAM_END ? output.count - Int(stream.avail_out) : 0
            }
        }
        return Data(output[..<count])
    }
}
