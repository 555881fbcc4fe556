import Markets

/// Suggests the key that was probably meant by an unknown one.
enum DidYouMean {
    /// Our keys for the words of other programs (mostly Prometheus and Alertmanager) and for misplaced keys, with the
    /// section that they belong to.
    private static let others: [String: (key: String, home: String)] = [
        "interval": ("every", "poll.every"),
        "scrape_interval": ("every", "poll.every"),
        "evaluation_interval": ("every", "poll.every"),
        "poll_interval": ("every", "poll.every"),
        "every": ("every", "poll.every"),
        "scrape_timeout": ("timeout", "poll.timeout"),
        "timeout": ("timeout", "poll.timeout"),
        "retry": ("retry", "poll.retry"),
        "retries": ("attempts", "poll.retry.attempts"),
        "attempts": ("attempts", "poll.retry.attempts"),
        "stale_after": ("stale_after", "poll.stale_after"),
        "confirm_moves_over": ("confirm_moves_over", "poll.confirm_moves_over"),
        "repeat_interval": ("repeat", "alerts[].repeat"),
        "receiver": ("notify", "notify"),
        "receivers": ("notify", "notify"),
        "channels": ("notify", "notify"),
        "rules": ("alerts", "alerts"),
        "retention": ("keep_samples", "history.keep_samples"),
        "keep_samples": ("keep_samples", "history.keep_samples"),
        "keep_candles": ("keep_candles", "history.keep_candles"),
        "max_size": ("max_size", "history.max_size"),
        "database": ("database", "history.database"),
        "backfill": ("backfill", "history.backfill"),
        "markets": ("markets", "watch.markets"),
        "coins": ("markets", "watch.markets"),
        "ids": ("markets", "watch.markets"),
        "symbols": ("markets", "watch.markets"),
        "top": ("top", "watch.top"),
        "vs_currency": ("currency", "currency"),
        "provider": ("provider", "feeds[].provider"),
        "plan": ("plan", "feeds[].plan"),
        "key": ("key", "feeds[].key"),
        "api_key": ("key", "feeds[].key"),
        "log_file": ("file", "log.file"),
        "log_level": ("level", "log.level"),
        "level": ("level", "log.level"),
    ]

    /// The full path of the key that was probably meant by `word` in the section at `path`.
    static func key(_ word: String, in path: String, values: Set<String>, sections: Set<String>) -> String? {
        let known = values.union(sections)
        func inSection(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }
        if let other = others[word] { return known.contains(other.key) ? inSection(other.key) : other.home }
        for suffix in ["_file", "_env"] where word.hasSuffix(suffix) {
            let stem = String(word.dropLast(suffix.count))
            if let close = Spelling.closest(to: stem, among: values.sorted()) { return inSection(close + suffix) }
        }
        return Spelling.closest(to: word, among: known.sorted()).map(inSection)
    }
}
