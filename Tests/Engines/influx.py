#!/usr/bin/env python3
"""InfluxDB 1: a database that is missing and then made, a shard in which the field has another type, times that a
retention policy refuses. Each time the good samples all arrive.

    Tests/Engines/influx.py [--binary B] [--seed N] [--seconds 20] [--markets 50]
"""
import sqlite3
import time

from daemon import Daemon, compare, demand_same
from engines import InfluxDB
from provider import Prices, Provider, names
from stage import Stage, options, wait

DAY = 86_400
WEEK = 7 * DAY


def add_past(daemon, since, until, every):
    """Recorded polls of one market, backfilled; returns their times in ms."""
    database = sqlite3.connect(daemon.database)
    times = list(range(int(since), int(until), every))
    with database:
        newest = database.execute("SELECT max(id) FROM (SELECT id FROM poll UNION SELECT id FROM turn)").fetchone()[0]
        series = database.execute("SELECT min(id) FROM series").fetchone()[0]
        for place, at in enumerate(times):
            poll = newest + 1 + place
            database.execute("INSERT INTO poll (id, at, fetched_at, feed, outcome, samples, backfilled) "
                             "VALUES (?, ?, ?, 1, 'ok', 1, 1)", (poll, at * 1000, at * 1000))
            database.execute("INSERT INTO sample VALUES (?, ?, -2, 0, 1)", ((poll << 20) + series, 10_000 + place))
    database.close()
    return [at * 1000 for at in times]


def missing_database(stage, daemon, engine):
    """404: refused and kept until the database is there."""
    daemon.start().ready()
    wait("status says export_refused", lambda: "export_refused" in daemon.reasons())
    wait("more is pending", lambda: (daemon.metric("export_pending_samples") or 0) > 3 * stage.options.markets)
    stage.demand(any("database not found" in line for line in daemon.log("export.")),
                 "the log lacks the engine's words on the missing database")
    engine.create("prices")
    # It is asked every ten minutes; a restart asks at once.
    daemon.stop()
    daemon.start().ready()
    wait("it has polled for some time", lambda: len(daemon.poll_times()) > stage.options.seconds)
    daemon.drained()
    stage.demand("export_refused" not in daemon.reasons(), "export_refused stays")
    stage.demand(not daemon.metric("export_refused_total"), "samples were refused for good while the database missed")
    return demand_same(stage, daemon.stop_drained(), engine.prices("prices"), "after the missing database")


def second_type(stage, daemon, engine):
    """A shard is a week; in this one the field is an integer, and floats are refused: `partial write`, or all of them.
    Another market of the same request, in another week, arrives."""
    now = int(time.time())
    monday = (now - 4 * DAY) // WEEK * WEEK + 4 * DAY - 3 * WEEK  # 1970 began on a Thursday
    status, body = engine.write("prices", f"pricewatch,currency=usd,market=elsewhere price=1i {(monday + 60) * 1000}")
    stage.demand(status == 204, f"the integer was answered with {status} {body!r}")
    bad = add_past(daemon, monday + 3600, monday + 2 * 3600, 60)
    good = add_past(daemon, monday - 2 * 3600, monday - 3600, 60)
    daemon.start().ready()
    daemon.drained()
    refused = daemon.metric("export_refused_total")
    recorded = daemon.stop_drained()
    found = {key: samples for key, samples in engine.prices("prices").items() if key[0] != "elsewhere"}
    missing, _, twice, wrong = compare(recorded, found)
    stage.say(f"a second type: {refused} refused, {len(missing)} missing of {len(bad) + len(good)}")
    stage.demand(sorted(at for _, at in missing) == bad, f"missing are {missing[:3]}, expected {bad[:3]} and so on")
    stage.demand(not twice + wrong, f"{len(twice)} twice, {len(wrong)} wrong")
    stage.demand(refused == len(bad), f"{refused} counted as refused, {len(bad)} sent")
    stage.demand(any("conflict" in line for line in daemon.log("export.")), "the log lacks the engine's words on types")


def partial_write(stage, daemon, engine):
    """Points beyond the retention policy: `partial write`, and the others of the request are kept."""
    engine.create("short")
    engine.ask("short", 'ALTER RETENTION POLICY "autogen" ON "short" DURATION 2h SHARD DURATION 1h DEFAULT')
    now = int(time.time())
    old = add_past(daemon, now - DAY, now - DAY + 6000, 60)
    daemon.export_to({"name": "cluster", "influx": f"{engine.url}/write?db=short"})
    daemon.start().ready()
    daemon.drained()
    refused = daemon.metric("export_refused_total")
    recorded = {series: {at: price for at, price in samples.items() if at > (now - 5400) * 1000}
                for series, samples in daemon.stop_drained().items()}
    found = {series: [(at, price) for at, price in samples if at > (now - 5400) * 1000]
             for series, samples in engine.prices("short").items()}
    demand_same(stage, recorded, found, "after points beyond the retention")
    stage.say(f"beyond the retention: {refused} refused, at least {len(old)} expected")
    stage.demand(refused and refused >= len(old), f"{refused} counted as refused, {len(old)} at least are too old")


def main():
    sizes = options(__doc__, seconds=20.0, markets=50)
    with Stage(sizes) as stage:
        provider = Provider(names(sizes.markets, hostile=True), Prices(sizes.seed))
        engine = InfluxDB(stage).start().ready()
        daemon = Daemon(stage, provider, [{"name": "cluster", "influx": f"{engine.url}/write?db=prices"}])
        count = missing_database(stage, daemon, engine)
        stage.say(f"the missing database: all {count} samples arrived once it was made")
        second_type(stage, daemon, engine)
        partial_write(stage, daemon, engine)


main()
