import Markets
import Testing

@Suite struct PageURLTests {
    @Test(
        "links to a market, whatever its id is made of",
        arguments: [
            ("bitcoin", "https://p.example/x/m/bitcoin"), ("a/b", "https://p.example/x/m/a%2Fb"),
            ("x.svg", "https://p.example/x/m/x%2Esvg"), ("..", "https://p.example/x/m/%2E%2E"),
            ("v1.2", "https://p.example/x/m/v1.2"), ("<&\"'>", "https://p.example/x/m/%3C%26%22%27%3E"),
            ("名", "https://p.example/x/m/%E5%90%8D"), ("a b", "https://p.example/x/m/a%20b"),
        ])
    func links(id: String, link: String) throws {
        for text in ["https://p.example/x", "https://p.example/x/", "https://p.example/x///"] {
            #expect(try PageURL(text).market(MarketID(id)) == link)
        }
    }

    @Test("its other pages")
    func pages() throws {
        let page = try PageURL("http://[::1]:8486")
        #expect(page.home == "http://[::1]:8486/" && page.alerts == "http://[::1]:8486/alerts")
        #expect(page.status == "http://[::1]:8486/status" && page.feed == "http://[::1]:8486/feed.atom")
    }

    private static let form = "must be host, port and path alone, such as https://prices.example.com"

    @Test(
        "what is no address of a page",
        arguments: [
            ("", form), ("prices.example.com", form), ("https://", form), ("https:///x", form),
            ("https://anna:s3cret@p.example", form), ("https://p.example/?a=b", form), ("https://p.example/#a", form),
            ("https://p.example/a b", form), ("https://p.example/<b>", form), ("https://p.example/é", form),
            ("ftp://p.example", "must begin with https:// or http://"),
            ("https://p.example:70000", "must have a port from 1 to 65535"),
            ("https://p.example/" + String(repeating: "a", count: 300), "must not be longer than 300 bytes"),
        ])
    func refused(text: String, reason: String) throws {
        let error = #expect(throws: InvalidName.self) { try PageURL(text) }
        #expect(error?.reason == reason)
    }
}
