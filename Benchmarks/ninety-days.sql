-- Fills a database of ours, made by `recording` with 250 markets, with 90 days of polls a minute before its own:
-- 129,600 polls, 32.4 million samples, and their hourly candles. Run by the sqlite3 shell on a closed database.
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA cache_size = -200000;
BEGIN;
CREATE TEMP TABLE own AS SELECT * FROM poll;
CREATE TEMP TABLE own_sample AS SELECT * FROM sample;
DELETE FROM poll;
DELETE FROM sample;
DELETE FROM watch;
WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 129600)
INSERT INTO poll (id, at, fetched_at, feed, outcome, samples, backfilled)
SELECT n, first.at + (n - 129601) * 60000, first.at + (n - 129601) * 60000 + 200, first.feed, 'ok', 250, 0
FROM number, (SELECT min(at) AS at, feed FROM own) AS first;
INSERT INTO sample (id, significand, exponent, age, confirmed)
SELECT (poll.id << 20) + series.id, (1000 + (series.id - 1) * 7919) * 1001 + (poll.id * 31 + series.id * 17) % 997,
       -(2 + (series.id - 1) % 8), 500 + (poll.id * 7 + series.id * 131) % 58500, 1
FROM poll CROSS JOIN series ORDER BY poll.id, series.id;
INSERT INTO poll (id, at, fetched_at, feed, outcome, error, samples, backfilled, alone)
SELECT id + 129600, at, fetched_at, feed, outcome, error, samples, backfilled, alone FROM own;
INSERT INTO sample SELECT id + (129600 << 20), significand, exponent, age, confirmed FROM own_sample;
INSERT INTO watch SELECT 1, id, 1 FROM series;
WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n <= 2160)
INSERT OR REPLACE INTO candle
SELECT (SELECT min(at) FROM own) / 3600000 - 2161 + n, series.id,
       (1000 + (series.id - 1) * 7919) * 1001 + n % 997, -(2 + (series.id - 1) % 8),
       (1000 + (series.id - 1) * 7919) * 1001 + 996, -(2 + (series.id - 1) % 8),
       (1000 + (series.id - 1) * 7919) * 1001, -(2 + (series.id - 1) % 8),
       (1000 + (series.id - 1) * 7919) * 1001 + n % 991, -(2 + (series.id - 1) % 8), 60, 1e9 / series.id, 1e12 / series.id
FROM number CROSS JOIN series WHERE n <= 2160 ORDER BY n, series.id;
UPDATE series SET newest_candle = (SELECT min(at) FROM own) / 3600000 - 1;
UPDATE setting SET value = (SELECT min(at) FROM own) / 3600000 WHERE name = 'candles_until';
COMMIT;
