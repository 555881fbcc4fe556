#!/usr/bin/env python3
"""Many markets: what an export costs beside the polls, and how fast a backlog is sent.

Two daemons poll the same prices at different moments, one with an export. Then a third, with a history of many
samples, meets an engine that has none of them. A debug build is much slower at all of it; sizes and limits suit a
release build.

    Tests/Engines/large.py [--binary B] [--seed N] [--markets 17000] [--polls 12] [--backlog 1000000] [--share 0.2]
                           [--rate 20000]
"""
import math
import os
import sqlite3
import time

from daemon import Daemon, demand_same, lateness
from engines import VictoriaMetrics
from provider import Prices, Provider, names
from stage import Late, Stage, options, wait


class Account:
    """Polls and processor time of a daemon since a moment."""

    def __init__(self, daemon):
        self.daemon = daemon
        self.began = time.time()
        self.before = daemon.processor()

    def polls(self):
        return len(self.daemon.ask(f"SELECT 1 FROM poll WHERE outcome IN ('ok', 'partial') AND at >= {self.began * 1000}"))

    def a_poll(self):
        return (self.daemon.processor() - self.before) / max(1, self.polls())


def cost(stage, provider, engine, every):
    """Processor time of a poll with and without export, the requests of a poll, and the lateness of polls."""
    sizes = stage.options
    plain = Daemon(stage, provider, [], name="plain", every=f"{every}s")
    exporting = Daemon(stage, provider, [{"name": "cluster", "influx": f"{engine.url}/write"}], name="exporting",
                       every=f"{every}s")
    # One after the other, half an interval apart, so that neither polls while the other does.
    plain.start().ready()
    time.sleep(every / 2)
    exporting.start().ready()
    # The first polls make series, pages and connections.
    for daemon in (plain, exporting):
        wait("the first polls", lambda: len(daemon.poll_times()) >= 3, 30 + 4 * every)
    exporting.drained(60 + 4 * every)
    accounts = [Account(daemon) for daemon in (plain, exporting)]
    requests, rows = engine.requests_taken(), engine.rows_taken()
    wait("the polls that are measured", lambda: accounts[1].polls() >= sizes.polls, 60 + 2 * sizes.polls * every)
    exporting.drained(60 + 4 * every)
    without, with_export = (account.a_poll() for account in accounts)
    polls = accounts[1].polls()
    requests, rows = engine.requests_taken() - requests, engine.rows_taken() - rows
    share = with_export / without - 1
    stage.say(f"{sizes.markets} markets: {without * 1000:.0f} ms of processor a poll, {with_export * 1000:.0f} ms with "
              f"export, {share:.0%} more; {requests:.0f} requests and {rows:.0f} lines for {polls} polls; "
              f"{exporting.resident():.0f} MiB, {plain.resident():.0f} without")
    stage.demand(share <= sizes.share, f"the export costs {share:.0%} of a poll, at most {sizes.share:.0%} is wanted")
    stage.demand(requests <= polls + 1, f"{requests:.0f} requests for {polls} polls")
    stage.demand(rows >= (polls - 1) * sizes.markets * 0.85, f"{rows:.0f} lines for {polls} polls")
    plain.kill()
    demand_same(stage, exporting.stop_drained(60 + 4 * every), engine.prices(), "VictoriaMetrics beside SQLite")
    return exporting


def fill(daemon, samples):
    """Polls of the hours before, a minute apart, as many as hold these samples."""
    database = sqlite3.connect(daemon.database)
    series = [number for number, in database.execute("SELECT id FROM series ORDER BY id")]
    first = database.execute("SELECT min(at) FROM poll").fetchone()[0]
    newest = database.execute("SELECT max(id) FROM (SELECT id FROM poll UNION SELECT id FROM turn)").fetchone()[0]
    polls = math.ceil(samples / len(series))
    # Near the recorded price of each: VictoriaMetrics keeps 18 digits of a block of samples together.
    prices = dict(database.execute("SELECT id & 1048575, significand FROM sample ORDER BY id"))
    exponents = dict(database.execute("SELECT id & 1048575, exponent FROM sample ORDER BY id"))
    with database:
        for number in range(polls):
            poll, at = newest + 1 + number, first - 60_000 * (polls - number)
            database.execute("INSERT INTO poll (id, at, fetched_at, feed, outcome, samples, backfilled) "
                             "VALUES (?, ?, ?, 1, 'ok', ?, 0)", (poll, at, at, len(series)))
            database.executemany("INSERT INTO sample VALUES (?, ?, ?, ?, 1)", (
                ((poll << 20) + one, prices[one] + number, exponents[one], one % 1000) for one in series))
    database.close()
    return polls * len(series)


def backlog(stage, daemon, every):
    """A new export of a long history: as fast as wanted, and no poll is late."""
    sizes = stage.options
    count = fill(daemon, sizes.backlog)
    engine = VictoriaMetrics(stage, "empty").start().ready()
    daemon.export_to({"name": "new", "influx": f"{engine.url}/write"})
    began = time.time()
    daemon.start()
    progress = []
    expected = sum(map(len, daemon.recorded().values()))

    def taken():
        if not daemon.runs:
            raise Late("the daemon ended")
        progress.append((time.time(), engine.rows_taken()))
        return progress[-1][1] >= expected
    wait("the backlog is sent", taken, 120 + 3 * count / sizes.rate)
    moving = [(at, rows) for at, rows in progress if rows > 0]
    start, (end, rows) = moving[0], progress[-1]
    rate = (rows - start[1]) / max(0.001, end - start[0])
    stage.say(f"a backlog of {count} samples: {rate:.0f} a second, all after {end - began:.1f} s, "
              f"{daemon.resident():.0f} MiB")
    stage.demand(rate >= sizes.rate, f"a backlog is sent at {rate:.0f} samples a second, {sizes.rate} are wanted")
    wait("polls after the backlog", lambda: len(daemon.poll_times(end)) >= 4, 60 + 5 * every)
    late, left_out = lateness(daemon.poll_times(began), every)
    # A short backlog is sent between two polls: then the next one counts.
    count = max(1, sum(at <= end for at in daemon.poll_times(began)))
    busy, calm = late[:count], late[count:]
    stage.say(f"polls late by at most {max(busy) * 1000:.0f} ms while it was sent, {max(calm) * 1000:.0f} ms later")
    stage.demand(max(busy) <= 0.1 + max(calm) and not left_out,
                 f"a poll was {max(busy) * 1000:.0f} ms late, {left_out} were left out")
    demand_same(stage, daemon.stop_drained(60 + 4 * every), engine.prices(), "the backlog beside SQLite")


def main():
    sizes = options(__doc__, markets=17_000, polls=12, backlog=1_000_000, share=0.2, rate=20_000, every=0)
    # What builds and tests beside us would be taken for delays of ours.
    if os.geteuid() == 0:
        os.nice(-10)
    # Longer than the 10 s for which acknowledged samples are sent again, in case that the engine was killed.
    every = sizes.every or max(11, sizes.markets // 1500)
    with Stage(sizes) as stage:
        provider = Provider(names(sizes.markets), Prices(sizes.seed, jumps=False), renews=every)
        engine = VictoriaMetrics(stage).start().ready()
        daemon = cost(stage, provider, engine, every)
        engine.kill()
        backlog(stage, daemon, every)


main()
