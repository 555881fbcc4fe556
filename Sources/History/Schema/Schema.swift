import GRDB

/// The tables, as a list of migrations to which later releases only append.
enum Schema {
    /// `PRAGMA application_id` of our files: "PWch". A file with another one is a stranger's.
    static let applicationID: Int32 = 0x5057_6368

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1: polls, samples, alerts, feeds") { db in
            try db.execute(sql: "PRAGMA application_id = \(applicationID)")
            try db.execute(sql: polls)
            try db.execute(sql: alerts)
            try db.execute(sql: feeds)
            try db.execute(sql: views)
        }
        return migrator
    }

    /// Samples are clustered by poll, so that a poll is one append. Times are milliseconds since 1970.
    /// A price is `significand` × 10^`exponent`, exact; `age` is by how much the quote was older than the answer.
    private static let polls = """
        CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE feed (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
        CREATE TABLE series (
            id INTEGER PRIMARY KEY,
            market TEXT NOT NULL,
            currency TEXT NOT NULL,
            symbol TEXT NOT NULL,
            name TEXT NOT NULL,
            UNIQUE (market, currency)
        );
        CREATE TABLE poll (
            id INTEGER PRIMARY KEY,
            at INTEGER NOT NULL,
            fetched_at INTEGER NOT NULL,
            feed INTEGER REFERENCES feed,
            outcome TEXT NOT NULL,
            error TEXT,
            samples INTEGER NOT NULL
        );
        CREATE INDEX poll_by_time ON poll (at);
        CREATE TABLE sample (
            poll INTEGER NOT NULL,
            series INTEGER NOT NULL,
            significand INTEGER NOT NULL,
            exponent INTEGER NOT NULL,
            age INTEGER NOT NULL,
            confirmed INTEGER NOT NULL,
            PRIMARY KEY (poll, series)
        ) WITHOUT ROWID;
        CREATE TABLE unknown (
            poll INTEGER NOT NULL,
            series INTEGER NOT NULL,
            reason TEXT NOT NULL,
            PRIMARY KEY (poll, series)
        ) WITHOUT ROWID;
        CREATE TABLE ranking (place INTEGER PRIMARY KEY, market TEXT NOT NULL);
        """

    private static let alerts = """
        CREATE TABLE alert (
            rule TEXT NOT NULL,
            market TEXT NOT NULL,
            condition TEXT NOT NULL,
            state TEXT NOT NULL,
            since INTEGER,
            held INTEGER,
            last_answered INTEGER,
            last_notified INTEGER,
            notified_price TEXT,
            announcements INTEGER NOT NULL,
            PRIMARY KEY (rule, market)
        ) WITHOUT ROWID;
        CREATE TABLE silence (
            id INTEGER PRIMARY KEY,
            rule TEXT,
            market TEXT,
            since INTEGER NOT NULL,
            until INTEGER NOT NULL
        );
        CREATE TABLE event (
            id INTEGER PRIMARY KEY,
            event_id TEXT NOT NULL UNIQUE,
            event TEXT NOT NULL,
            reason TEXT NOT NULL,
            rule TEXT NOT NULL,
            market TEXT NOT NULL,
            symbol TEXT NOT NULL,
            name TEXT NOT NULL,
            currency TEXT NOT NULL,
            severity TEXT NOT NULL,
            note TEXT,
            condition TEXT NOT NULL,
            price TEXT,
            threshold TEXT,
            change_hundredths INTEGER,
            at INTEGER NOT NULL,
            quoted_at INTEGER,
            since INTEGER,
            late_s INTEGER,
            silenced_until INTEGER,
            feed TEXT,
            host TEXT NOT NULL,
            logged INTEGER NOT NULL DEFAULT 0
        );
        CREATE INDEX event_by_alert ON event (rule, market);
        CREATE INDEX event_by_time ON event (at);
        CREATE INDEX event_not_logged ON event (id) WHERE logged = 0;
        """

    /// What the feeds must remember across restarts, so that a restart loop never hammers a provider.
    private static let feeds = """
        CREATE TABLE feed_note (
            feed TEXT NOT NULL,
            name TEXT NOT NULL,
            value BLOB NOT NULL,
            PRIMARY KEY (feed, name)
        ) WITHOUT ROWID;
        CREATE TABLE feed_month (
            feed TEXT NOT NULL,
            month TEXT NOT NULL,
            requests INTEGER NOT NULL,
            PRIMARY KEY (feed, month)
        ) WITHOUT ROWID;
        """

    /// For people at a `sqlite3` shell: times in whole epoch seconds, `price` a number that compares and
    /// sorts as one, `price_text` with the exact digits.
    private static let views = """
        CREATE VIEW prices AS
        SELECT series.market AS market,
               (poll.fetched_at - sample.age) / 1000 AS quoted_at,
               poll.fetched_at / 1000 AS fetched_at,
               CAST(significand || 'e' || exponent AS REAL) AS price,
               series.currency AS currency,
               feed.name AS feed,
               sample.confirmed AS confirmed,
               CASE
                   WHEN exponent >= 0 THEN significand || substr('000000000000000000', 1, exponent)
                   WHEN length(significand) > -exponent
                   THEN substr(significand, 1, length(significand) + exponent) || '.'
                        || substr(significand, length(significand) + exponent + 1)
                   ELSE '0.' || substr('000000000000000000', 1, -exponent - length(significand)) || significand
               END AS price_text
        FROM sample
        JOIN poll ON poll.id = sample.poll
        JOIN series ON series.id = sample.series
        LEFT JOIN feed ON feed.id = poll.feed;

        CREATE VIEW alerts AS
        SELECT event_id, event, rule, market, at / 1000 AS at, CAST(price AS REAL) AS price, severity, late_s
        FROM event;
        """
}
