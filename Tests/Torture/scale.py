#!/usr/bin/env python3
"""Many of everything: 17,000 markets, 1,000 rules, 90 days of history, 10,000 messages that wait, 20 readers.

    Tests/Torture/scale.py [--minutes 1] [--seed N] [--binary PROGRAM]

A database is filled with hourly polls of 90 days and with messages, then a daemon polls while readers ask for status,
history, summary and pages. Every reader gets an answer, polls go on, and memory stays below a bound."""
import contextlib
import pathlib
import re
import socket
import sqlite3
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

import stage

NAMED, TOP, RULES, MESSAGES, READERS = 7_000, 10_000, 1_000, 10_000, 20
# The fill's size: markets that have a history, and its polls.
OLD_MARKETS, OLD_POLLS = 100, 90 * 24
MOST_MEMORY = 400 << 20


class Internet(stage.Quiet):
    """A provider of 17,000 markets in pages of 250, and a receiver that refuses, so that messages wait."""
    answers, attempts, lock = 0, 0, threading.Lock()

    def do_GET(self):
        query = urllib.parse.parse_qs(urllib.parse.urlparse(self.path).query)
        with self.lock:
            Internet.answers += 1
        if "ids" in query:
            markets = query["ids"][0].split(",")
        else:
            first = NAMED + (int(query["page"][0]) - 1) * 250
            markets = [f"m{n}" for n in range(first, first + 250)]
        cents = self.answers % 97
        self.reply(("[" + ",".join(
            f'{{"id":"{market}","symbol":"s","name":"Market {market}","current_price":{int(market[1:]) + 1}.{cents:02d}5,'
            f'"market_cap":1,"total_volume":1}}' for market in markets) + "]").encode())

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        Internet.attempts += 1
        self.reply(status=503)


def configure(part, port):
    rules = "".join(
        f"  - {{name: r{n}, markets: all, {'rises' if n % 2 else 'falls'}: {n % 40 + 1}%, within: {n % 5 + 1}m, notify: []}}\n"
        if n < 20 else f"  - {{name: r{n}, market: m{n}, above: {n}, repeat: 10s}}\n" for n in range(RULES))
    path = part.folder / "pricewatch.yaml"
    markets = ", ".join(f"m{n}" for n in range(NAMED))
    path.write_text(f"""watch: {{markets: [{markets}], top: {TOP}}}
feeds: [{{provider: coingecko, url: "http://127.0.0.1:{port}/api/v3"}}]
poll: {{every: 10s, timeout: 20s}}
history: {{database: {part.folder}/history.db, backfill: null, keep_samples: 365d}}
log: {{file: {part.folder}/log}}
status_file: {part.folder}/status.json
metrics_file: {part.folder}/metrics.prom
notify: {{away: {{webhook: "http://127.0.0.1:{port}/"}}}}
alerts:
{rules}""")
    return path


def fill(part):
    """Polls of the past, hour by hour, and messages as a crash leaves them."""
    now = int(time.time() * 1000)
    with contextlib.closing(sqlite3.connect(part.folder / "history.db")) as db, db:
        db.execute("PRAGMA cache_size = -200000")
        series = [row[0] for row in db.execute("SELECT id FROM series ORDER BY id LIMIT ?", (OLD_MARKETS,))]
        first = db.execute("SELECT min(id) FROM poll").fetchone()[0]
        # Ids order the events of a history: what was there moves behind.
        moved = OLD_POLLS + 10
        db.execute("UPDATE sample SET id = id + ? WHERE id >> 20 >= ?", (moved << 20, first))
        for table, column in (("poll", "id"), ("turn", "id"), ("watch", "poll"), ("unknown", "poll")):
            db.execute(f"UPDATE {table} SET {column} = {column} + ?", (moved,))
        for poll in range(1, OLD_POLLS + 1):
            at = now - (OLD_POLLS - poll + 1) * 3_600_000
            db.execute("INSERT INTO poll (id, at, fetched_at, feed, outcome, samples, backfilled, interval) "
                       "VALUES (?, ?, ?, 1, 'ok', ?, 0, 3600000)", (poll, at, at, len(series)))
            db.executemany("INSERT INTO sample VALUES (?, ?, -2, 1000, 1)",
                           (((poll << 20) + number, 10_000 + (poll * 7 + number) % 97) for number in series))
        event = db.execute("SELECT min(id) FROM event").fetchone()[0]
        newest = db.execute("SELECT ifnull(max(id), 0) FROM message").fetchone()[0]
        db.executemany("INSERT INTO message VALUES (?, ?, 'away', ?, 0, 0, NULL, NULL, NULL)",
                       ((newest + n, f"queued-{n}", now) for n in range(1, MESSAGES + 1)))
        db.executemany("INSERT INTO message_event VALUES (?, ?)", ((newest + n, event) for n in range(1, MESSAGES + 1)))
    part.count("samples of the past", OLD_POLLS * len(series))


def reader(part, number, configuration, web, problems, counts):
    """Asks again and again, each time something else."""
    commands = [["status"], ["summary"], ["history", "m25", "--since", "30d"], ["alerts"], ["status", "--json"],
                ["chart", "m25", "--since", "90d"], ["rehearse", "--since", "1h", "--rule", "r5"]]
    pages = ["/", "/m/m25?window=30d", "/m/m25.svg?window=1y", "/status.json", "/alerts", "/feed.atom"]
    turn = number
    while part.goes_on():
        turn += 1
        if number % 2:
            words = commands[turn % len(commands)]
            code, _, errors = stage.command(part, *words, "--config", configuration, timeout=300)
            known = (0, 1, 2) if words[0] == "status" else (0,)
            if code not in known:
                problems.append(f"{words}: exit {code}: {errors[-300:]}")
        else:
            page = pages[turn % len(pages)]
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{web}{page}", timeout=300).read()
            except urllib.error.HTTPError as error:
                if error.code not in (404, 503):
                    problems.append(f"{page}: {error.code}")
            except OSError:
                counts["pages refused"] = counts.get("pages refused", 0) + 1  # the limit of connections
        counts["answers"] = counts.get("answers", 0) + 1


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def polls(part):
    return (part.folder / "log").read_text().count(" poll.ok ")


def main():
    part = stage.Part(__doc__)
    port = stage.serve(Internet).server_port
    configuration = configure(part, port)
    code, _, errors = stage.command(part, "run", "--once", "--config", configuration, timeout=600)
    if code:
        part.found(f"run --once ended with {code}: {errors}")
        part.over()
    fill(part)
    daemon = stage.start(part.binary, configuration)
    web_port = free_port()
    web = stage.spawn([part.binary, "web", "--listen", f"127.0.0.1:{web_port}", "--config", configuration])
    # The readers begin when it polls: how long a start takes beside them is not the matter.
    while polls(part) < 2 and daemon.poll() is None and time.monotonic() < part.end + 300:
        time.sleep(0.2)
    part.end = max(part.end, time.monotonic() + part.minutes * 30)
    before, problems, counts = polls(part), [], {}
    readers = [threading.Thread(target=reader, args=(part, n, configuration, web_port, problems, counts))
               for n in range(READERS)]
    for thread in readers:
        thread.start()
    for thread in readers:
        thread.join()
    memory = int(re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{daemon.pid}/status").read_text()).group(1)) * 1024
    part.count("most memory of the daemon, KiB", memory // 1024)
    if memory > MOST_MEMORY:
        part.found(f"the daemon took {memory} bytes")
    if daemon.poll() is not None or web.poll() is not None:
        part.found(f"the daemon ended with {daemon.poll()}, the page with {web.poll()}")
    waiting = stage.ask(part.folder, "SELECT count(*) FROM message")[0][0]
    if waiting < MESSAGES:
        part.found(f"{waiting} of {MESSAGES} messages still wait, and none was taken")
    part.count("messages that wait", waiting)
    part.count("attempts", Internet.attempts)
    part.count("polls beside the readers", polls(part) - before)
    if polls(part) <= before:
        part.found("no poll beside the readers")
    for what, number in counts.items():
        part.count(what, number)
    for problem in problems[:10]:
        part.found(problem)
    for process in (daemon, web):
        process.terminate()
        process.wait()
    if fault := stage.look(part.folder / "history.db", part.folder / "looked-at.db")[0]:
        part.found(f"the database: {fault}")
    part.over()


main()
