import Foundation
import HTTP
import Markets

/// Any server that answers with JSON, as the owner describes it.
package struct JSONFeed: Provider {
    package let description: JSONFeedDescription

    package init(_ description: JSONFeedDescription) { self.description = description }

    package func headers(with key: Secret?) -> [(name: String, value: String)] {
        description.headers.map { header in
            (header.name, header.value.revealed.replacingBytes(of: ["{key}"], with: key?.revealed ?? ""))
        }
    }

    package func pages(for watch: Watch) -> [PageRequest] {
        let pages = watch.entries.pages(of: description.url.asksOneByOne ? 1 : 250)
        return pages.map { entries in
            PageRequest(
                Prices(description: description, entries: entries, currency: watch.currency),
                .named(entries.map(\.market)))
        }
    }
}

extension JSONFeed {
    struct Prices: FeedRequest {
        typealias Response = QuotePage

        var description: JSONFeedDescription
        var entries: [Watch.Entry]
        var currency: Currency

        /// Empty: the owner's URL is not to be shown.
        var path: RequestPath { "" }
        var acceptedContent: AcceptedContent { description.acceptedContent }

        func url(below base: BaseURL, key: Secret?) -> String {
            base.text + description.url.filled(entries.map(\.providerID), currency, key: key)
        }

        func decode(_ body: Data) throws(UnreadableBody) -> QuotePage {
            let rows = JSONRows(description: description, entries: entries, currency: currency)
            return try rows.read(try JSONDocument(body).root)
        }
    }
}
