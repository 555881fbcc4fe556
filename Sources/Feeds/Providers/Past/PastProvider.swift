import Foundation
import Markets

/// A provider that can be asked for past prices. One that does not conform has none to give.
public protocol PastProvider: Provider {
    /// The request for the newest part of a stretch; nil where none of it is in reach.
    func pastPage(of entry: Watch.Entry, in currency: Currency, _ stretch: Range<Date>, now: Date) -> PastPage?
}

/// One request for the past of one market.
public struct PastPage: Sendable {
    public var request: any FeedRequest<[PastQuote]>
    /// The part of the stretch that the answer speaks for, up to the stretch's end.
    public var span: Range<Date>
    /// About as far apart the answer's prices lie: what is no longer cannot be filled.
    public var step: Duration

    init(_ request: any FeedRequest<[PastQuote]>, _ span: Range<Date>, step: Duration) {
        self.request = request
        self.span = span
        self.step = step
    }
}

extension Feed {
    /// Whether its provider can be asked for past prices.
    public nonisolated var offersPast: Bool { provider is any PastProvider }

    /// The request for the newest part of a stretch; nil where the provider has none of it to give.
    public nonisolated func pastPage(
        of entry: Watch.Entry, in currency: Currency, _ stretch: Range<Date>, now: Date
    ) -> PastPage? {
        (provider as? any PastProvider)?.pastPage(of: entry, in: currency, stretch, now: now)
    }

    /// Past prices, sent, counted and repeated as a poll's requests are; none while a wait holds.
    ///
    /// - Returns: in no certain order, also such as lie outside what was asked for.
    public nonisolated func past(_ page: PastPage, within limit: Duration) async throws(FeedError) -> [PastQuote] {
        try await client.send(page.request, within: limit)
    }
}
