import AsyncHTTPClient
import Foundation
import NIOCore

/// An answer as an ordinary client sees it.
struct Answer {
    let status: Int
    let headers: [String: String]
    let body: Data

    var text: String { String(decoding: body, as: UTF8.self) }

    var json: Any { get throws { try JSONSerialization.jsonObject(with: body, options: .fragmentsAllowed) } }

    var rows: [[String: Any]] { get throws { try json as? [[String: Any]] ?? [] } }

    /// The texts that stand for the prices, in the order of the rows.
    var priceTexts: [String] { text.matches(of: /"current_price":([^,]*)/).map { String($0.output.1) } }
}

func get(_ url: String, headers: [String: String] = [:]) async throws -> Answer {
    var request = HTTPClientRequest(url: url)
    for (name, value) in headers { request.headers.add(name: name, value: value) }
    let response = try await HTTPClient.shared.execute(request, timeout: .seconds(20))
    let body = try await response.body.collect(upTo: 16 << 20)
    let fields = response.headers.map { ($0.name.lowercased(), $0.value) }
    return Answer(
        status: Int(response.status.code), headers: Dictionary(fields) { first, _ in first },
        body: Data(body.readableBytesView))
}
