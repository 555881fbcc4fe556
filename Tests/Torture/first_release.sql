-- The tables of pricewatch as its first migration alone makes them: what a start of a later release migrates.
PRAGMA application_id = 1347904360;
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE feed (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE series (
    id INTEGER PRIMARY KEY,
    market TEXT NOT NULL,
    currency TEXT NOT NULL,
    symbol TEXT NOT NULL,
    name TEXT NOT NULL,
    newest_candle INTEGER,
    UNIQUE (market, currency)
);
CREATE TABLE poll (
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    fetched_at INTEGER NOT NULL,
    feed INTEGER REFERENCES feed,
    outcome TEXT NOT NULL,
    error TEXT,
    samples INTEGER NOT NULL,
    backfilled INTEGER NOT NULL,
    alone INTEGER NOT NULL DEFAULT 0,
    interval INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX poll_by_time ON poll (at);
CREATE INDEX poll_alone ON poll (at) WHERE alone;
CREATE TABLE sample (
    id INTEGER PRIMARY KEY,
    significand INTEGER NOT NULL, exponent INTEGER NOT NULL,
    age INTEGER NOT NULL,
    confirmed INTEGER NOT NULL
);
CREATE TABLE unknown (
    poll INTEGER NOT NULL, series INTEGER NOT NULL, reason TEXT NOT NULL, PRIMARY KEY (poll, series)
) WITHOUT ROWID;
CREATE TABLE watch (
    poll INTEGER NOT NULL, series INTEGER NOT NULL, watched INTEGER NOT NULL, PRIMARY KEY (poll, series)
) WITHOUT ROWID;
CREATE TABLE turn (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, kind TEXT NOT NULL);
CREATE TABLE healed (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    series INTEGER NOT NULL, since INTEGER NOT NULL, until INTEGER NOT NULL
);
CREATE INDEX healed_by_series ON healed (series, since);
CREATE TABLE ranking (place INTEGER PRIMARY KEY, market TEXT NOT NULL);
CREATE TABLE candle (
    hour INTEGER NOT NULL, series INTEGER NOT NULL,
    open INTEGER NOT NULL, open_exponent INTEGER NOT NULL,
    high INTEGER NOT NULL, high_exponent INTEGER NOT NULL,
    low INTEGER NOT NULL, low_exponent INTEGER NOT NULL,
    close INTEGER NOT NULL, close_exponent INTEGER NOT NULL,
    samples INTEGER NOT NULL,
    volume_24h REAL, market_cap REAL,
    PRIMARY KEY (hour, series)
) WITHOUT ROWID;
CREATE TABLE stated (
    hour INTEGER NOT NULL, series INTEGER NOT NULL, volume_24h REAL, market_cap REAL, PRIMARY KEY (hour, series)
) WITHOUT ROWID;
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
    side TEXT,
    announcements INTEGER NOT NULL,
    PRIMARY KEY (rule, market)
) WITHOUT ROWID;
CREATE TABLE silence (
    id INTEGER PRIMARY KEY, rule TEXT, market TEXT, since INTEGER NOT NULL, until INTEGER NOT NULL
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
CREATE TABLE message (
    id INTEGER PRIMARY KEY,
    message_id TEXT NOT NULL UNIQUE,
    channel TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    held INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    not_before INTEGER,
    last_error TEXT,
    note BLOB
);
CREATE TABLE message_event (
    message INTEGER NOT NULL, event INTEGER NOT NULL, PRIMARY KEY (message, event)
) WITHOUT ROWID;
CREATE INDEX message_of_event ON message_event (event);
CREATE TABLE told (
    rule TEXT NOT NULL, market TEXT NOT NULL, channel TEXT NOT NULL, PRIMARY KEY (rule, market, channel)
) WITHOUT ROWID;
CREATE TABLE feed_note (
    feed TEXT NOT NULL, name TEXT NOT NULL, value BLOB NOT NULL, PRIMARY KEY (feed, name)
) WITHOUT ROWID;
CREATE TABLE feed_month (
    feed TEXT NOT NULL, month TEXT NOT NULL, requests INTEGER NOT NULL, PRIMARY KEY (feed, month)
) WITHOUT ROWID;
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
JOIN poll ON poll.id = sample.id >> 20 AND sample.id = (poll.id << 20) + series.id
JOIN series ON series.id = sample.id & 1048575
LEFT JOIN feed ON feed.id = poll.feed;
CREATE VIEW candles AS
SELECT series.market AS market,
       series.currency AS currency,
       candle.hour * 3600 AS start,
       CAST(open || 'e' || open_exponent AS REAL) AS open,
       CAST(high || 'e' || high_exponent AS REAL) AS high,
       CAST(low || 'e' || low_exponent AS REAL) AS low,
       CAST(close || 'e' || close_exponent AS REAL) AS close,
       candle.samples AS samples,
       candle.volume_24h AS volume_24h,
       candle.market_cap AS market_cap
FROM candle JOIN series ON series.id = candle.series
UNION ALL
SELECT DISTINCT series.market, series.currency, hour * 3600,
       first_value(price) OVER bucket, max(price) OVER bucket, min(price) OVER bucket,
       last_value(price) OVER bucket, count(*) OVER bucket, NULL, NULL
FROM (
    SELECT sample.id & 1048575 AS series, (poll.fetched_at - sample.age) / 3600000 AS hour,
           poll.fetched_at - sample.age AS quoted_at,
           CAST(significand || 'e' || exponent AS REAL) AS price
    FROM poll
    CROSS JOIN sample ON sample.id BETWEEN poll.id << 20 AND (poll.id << 20) + 1048575
    WHERE confirmed AND poll.at >= 3600000 * (SELECT CAST(value AS INTEGER) - 2 FROM setting
                                              WHERE name = 'candles_until')
) AS running
JOIN series ON series.id = running.series
WHERE hour >= (SELECT CAST(value AS INTEGER) FROM setting WHERE name = 'candles_until')
WINDOW bucket AS (PARTITION BY running.series, hour ORDER BY quoted_at
                  ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING);
CREATE VIEW alerts AS
SELECT event_id, event, rule, market, at / 1000 AS at, CAST(price AS REAL) AS price, severity, late_s
FROM event;
INSERT INTO grdb_migrations VALUES ('1: polls, samples, alerts, feeds');
INSERT INTO setting VALUES ('candles_until', '0');
