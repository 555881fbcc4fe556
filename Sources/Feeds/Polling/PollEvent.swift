import Foundation

/// What a feed is doing.
public enum LoadState: Sendable {
    case idle
    case loading(since: Date)
    case loaded(FeedAnswer)
    case failed(FeedError)
}

/// What happens during polls, as it happens.
public enum PollEvent: Sendable {
    case state(LoadState)
    /// A request failed and is repeated.
    case retry(Retry)
    /// Nothing is sent, since a wait holds.
    case waiting(FeedWait, until: Date)

    public struct Retry: Sendable, Hashable {
        public var feed: String
        /// The request that failed, from 1, counted for its page.
        public var attempt: Int
        /// The pause before the next.
        public var delay: Duration
        public var error: FeedError
    }
}

/// Hands every event to everyone who listens. Who reads too slowly loses the oldest.
struct EventBroadcast {
    private var listeners: [Int: AsyncStream<PollEvent>.Continuation] = [:]
    private var lastID = 0

    mutating func add(_ continuation: AsyncStream<PollEvent>.Continuation) -> Int {
        lastID += 1
        listeners[lastID] = continuation
        return lastID
    }

    mutating func remove(_ id: Int) { listeners[id] = nil }

    func send(_ event: PollEvent) {
        for listener in listeners.values { listener.yield(event) }
    }

    func finish() {
        for listener in listeners.values { listener.finish() }
    }
}
