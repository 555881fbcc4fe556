import Foundation
import HTTP
import Markets
import TestSupport
import Testing

@testable import Feeds

/// Whatever has become of an answer, it is read or refused, and no price comes from it that does not stand in it.
@Suite struct MutatedBodyTests {
    private static let count = MutationRun.count(of: "BODIES", usually: 4000)

    /// A form of answer: how it is read, and a good one.
    private struct Form: Sendable {
        var name: String
        var body: String
        /// Prices with what names them; throws `UnreadableBody`.
        var read: @Sendable (Data) throws -> [(price: Price, texts: [String])]

        init(_ name: String, _ body: String, _ page: PageRequest) {
            self.name = name
            self.body = body
            read = { data in
                try page.request.decode(data).compactMap { row in
                    guard case .quote(let quote) = row else { return nil }
                    return (quote.price, [quote.market.text, quote.name, quote.symbol])
                }
            }
        }

        init(past name: String, _ body: String, _ page: PastPage) {
            self.name = name
            self.body = body
            read = { data in try page.request.decode(data).map { ($0.price, []) } }
        }
    }

    private static func forms() throws -> [Form] {
        let now = Date(timeIntervalSince1970: 1_795_255_200)
        let entry = { (ours: String, theirs: String) in Watch.Entry(try MarketID(ours), providerID: theirs) }
        func page(_ provider: any Provider, _ entries: (String, String)...) throws -> PageRequest {
            let watch = Watch(try entries.map { try entry($0.0, $0.1) }, top: 0, currency: try Currency("usd"))
            return try #require(provider.pages(for: watch).first)
        }
        func past(_ provider: any PastProvider, _ id: String) throws -> PastPage {
            try #require(
                provider.pastPage(
                    of: try entry("bitcoin", id), in: try Currency("usd"), (now - .hours(6))..<now, now: now))
        }
        let mine = try jsonFeed(
            "https://x.test/{ids}", price: "/last", id: "/sym", quotedAt: "/t", list: "/data",
            timeFormat: .epochSeconds)
        return [
            Form(
                "coingecko",
                rows(row("bitcoin", "77123.4512345678"), row("x", "1.206e-09"), row("y", "null"), row("z", "0.1")),
                try page(CoinGecko(plan: .public), ("bitcoin", "bitcoin"), ("x", "x"), ("y", "y"), ("z", "z"))),
            Form(
                "coinpaprika",
                rows(
                    CoinPaprikaTests.row("btc-bitcoin", rank: 1, "77123.45"),
                    CoinPaprikaTests.row("eth-ethereum", rank: 2, "8.36e-06")),
                try page(CoinPaprika(plan: .public), ("bitcoin", "btc-bitcoin"), ("ethereum", "eth-ethereum"))),
            Form(
                "coinmarketcap",
                CoinMarketCapTests.body(
                    "{\"1027\":\(CoinMarketCapTests.row("1027", "{\"USD\":\(CoinMarketCapTests.price)}"))}"),
                try page(CoinMarketCap(plan: .public), ("ethereum", "1027"))),
            Form(
                "binance",
                rows(BinanceTests.row("SOLUSDT", "\"99.63000000\""), BinanceTests.row("BTCUSDT", "\"77123.45000000\"")),
                try page(Binance(), ("bitcoin", "BTCUSDT"), ("solana", "SOLUSDT"))),
            Form(
                "kraken",
                KrakenTests.body(KrakenTests.row("XXBTZUSD", "77123.40000"), KrakenTests.row("XDGUSD", "0.1073820")),
                try page(Kraken(), ("bitcoin", "XBTUSD"), ("dogecoin", "XDGUSD"))),
            Form(
                "json",
                #"{"data":[{"sym":"AAPL","last":231.10,"t":1732179600},{"sym":"B&B","last":"0.1","t":"1732179601.5"}]}"#,
                try page(mine, ("apple", "AAPL"), ("B&B", "B&B"))),
            Form(
                past: "coingecko's past",
                #"{"prices":[[1795233700000,50675.258],[1795234000000,5.0e-07],[1795255200000,1]],"total_volumes":[],"market_caps":[]}"#,
                try past(CoinGecko(plan: .public), "bitcoin")),
            Form(
                past: "binance's past",
                #"[[1795233700000,"1.0","2.0","0.5","1.5","9",1795233759999,"1",3,"1","1","0"]]"#,
                try past(Binance(), "BTCUSDT")),
            Form(
                past: "kraken's past",
                #"{"error":[],"result":{"XXBTZUSD":[[1795233700,"1.0","2.0","0.5","1.5","1.4","9",3],[1795233760,"1","2","1","1.25","1","9",3]],"last":1795233760}}"#,
                try past(Kraken(), "XBTUSD")),
        ]
    }

    private static let dictionary = [
        "id", "symbol", "name", "current_price", "last_updated", "price", "quotes", "USD", "data", "status",
        "error_code",
        "result", "error", "c", "lastPrice", "closeTime", "sym", "last", "t", "\"price\":1.5,", "\"id\":\"bitcoin\",",
        "\"current_price\":\"7\",", "[[", "]]", "{\"", "\":", "e+5", "E-7", ".", "-", "\\u0065", "\\\"",
        "2026-11-21T10:00:00Z",
    ]

    @Test(arguments: 0..<9)
    func nothingIsInvented(number: Int) async throws {
        let forms = try Self.forms()
        #expect(forms.count == 9)
        let form = forms[number]
        let good = Array(form.body.utf8)
        #expect(try !form.read(Data(good)).isEmpty, "\(form.name)")
        var mutator = Mutator(seed: MutationRun.seed &* 100 &+ UInt64(number), dictionary: Self.dictionary)
        var read = 0
        for round in 0..<Self.count / forms.count {
            if round % 64 == 0 { await Task.yield() }  // the tests beside it share two threads
            let body = mutator.mutated(good, most: 200_000)
            MutationRun.note(body)
            guard let prices = try? form.read(Data(body)) else { continue }
            read += 1
            let numerals = Numerals(in: body)
            for (price, texts) in prices {
                let shown = String(decoding: body.prefix(3000), as: UTF8.self)
                #expect(numerals.contains(price), "\(form.name): \(price) does not stand in \(shown)")
                #expect(texts.allSatisfy { $0.utf8.count <= 200 }, "\(form.name): \(texts) in \(shown)")
            }
        }
        #expect(read > Self.count / forms.count / 20, "\(form.name): too little was left to read")
    }
}

/// Every number that stands in a text, also within words and behind escapes, found without the reader of JSON.
private struct Numerals {
    private let prices: Set<String>

    init(in body: [UInt8]) {
        let text = Self.withoutEscapes(body)
        var prices: Set<String> = []
        var place = 0
        while place < text.count {
            // `.5` is a half, where a provider's prices are texts.
            guard Self.isDigit(text[place]) || text[place] == 0x2E, place == 0 || !Self.isPart(text[place - 1]) else {
                place += 1
                continue
            }
            // What begins here: any part of it may be what a damaged text means.
            var end = place
            while end < text.count, Self.isPart(text[end]) { end += 1 }
            if let price = Self.normal(text[place..<end]) { prices.insert(price) }
            place = end
        }
        self.prices = prices
    }

    func contains(_ price: Price) -> Bool { prices.contains("\(price.significand)e\(price.exponent)") }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    /// A digit, a point, a sign or the mark of an exponent.
    private static func isPart(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x2E, 0x2B, 0x2D, 0x45, 0x65: true
        default: false
        }
    }

    private static func withoutEscapes(_ body: [UInt8]) -> [UInt8] {
        guard body.contains(0x5C) else { return body }
        var text: [UInt8] = []
        var place = 0
        while place < body.count {
            if place + 5 < body.count, body[place] == 0x5C, body[place + 1] | 0x20 == 0x75,
                let code = UInt32(String(decoding: body[(place + 2)..<(place + 6)], as: UTF8.self), radix: 16),
                code < 128
            {
                text.append(UInt8(code))
                place += 6
            } else {
                text.append(body[place])
                place += 1
            }
        }
        return text
    }

    /// Digits without needless zeros, rounded half to even at the 18th, and the exponent.
    private static func normal(_ text: ArraySlice<UInt8>) -> String? {
        var digits: [UInt8] = []
        var exponent = 0
        var hasPoint = false
        var rest = text
        while let byte = rest.first, byte | 0x20 != 0x65 {
            rest.removeFirst()
            if byte == 0x2E, !hasPoint {
                hasPoint = true
            } else if isDigit(byte) {
                digits.append(byte - 0x30)
                exponent -= hasPoint ? 1 : 0
            } else {
                return nil
            }
        }
        if !rest.isEmpty {
            let written = String(decoding: rest.dropFirst(), as: UTF8.self)
            guard let power = Int(written.hasPrefix("+") ? String(written.dropFirst()) : written), abs(power) < 10_000
            else {
                return nil
            }
            exponent += power
        }
        digits = Array(digits.drop { $0 == 0 })
        if digits.count > 18 {
            let cut = digits[18...]
            exponent += cut.count
            digits.removeSubrange(18...)
            let isHalf = cut.first == 5 && cut.dropFirst().allSatisfy { $0 == 0 }
            if isHalf ? digits[17] % 2 == 1 : cut.first.map({ $0 >= 5 }) == true {
                var place = 17
                while place >= 0, digits[place] == 9 {
                    digits[place] = 0
                    place -= 1
                }
                if place < 0 { digits.insert(1, at: 0) } else { digits[place] += 1 }
            }
        }
        while digits.last == 0 {
            digits.removeLast()
            exponent += 1
        }
        return digits.isEmpty ? nil : digits.map { "\($0)" }.joined() + "e\(exponent)"
    }
}
