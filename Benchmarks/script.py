"""The script: what most people would write. Text ids, ISO times, a table with an index.

    script.py record DATABASE MARKETS POLLS
    script.py poll   DATABASE PORT POLLS FOLDER

Prints what it cost as JSON."""

import datetime
import json
import os
import random
import resource
import sqlite3
import sys
import time
import urllib.request


def written():
    with open("/proc/self/io") as file:
        return int(next(line for line in file if line.startswith("write_bytes")).split()[1])


def open_database(path):
    db = sqlite3.connect(path)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("CREATE TABLE IF NOT EXISTS prices (id INTEGER PRIMARY KEY, market TEXT, time TEXT, price REAL, source TEXT)")
    db.execute("CREATE INDEX IF NOT EXISTS prices_by_market ON prices (market, time)")
    return db


def record(db, rows, at):
    time_text = at.isoformat()
    for market, price in rows:
        db.execute(
            "INSERT INTO prices (market, time, price, source) VALUES (?, ?, ?, ?)", (market, time_text, price, "coingecko"))
    db.commit()


def report(processor, wall, bytes_before, polls, markets):
    processor, wall = time.process_time() - processor, time.monotonic() - wall
    print(json.dumps({
        "cpu_us_per_sample": processor * 1e6 / polls / markets, "wall_us_per_sample": wall * 1e6 / polls / markets,
        "written_per_poll": (written() - bytes_before) / polls, "cpu_ms_per_poll": processor * 1e3 / polls,
        "rss_kib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}))


def record_polls(path, markets, polls):
    db = open_database(path)
    start = datetime.datetime(2026, 11, 21, 10, tzinfo=datetime.timezone.utc)
    names = ["bitcoin"] + [f"market-{m}" for m in range(1, markets)]
    # An index that has grown is what it lives with.
    for day in range(2880 if markets < 1000 else 0):
        at = (start - datetime.timedelta(minutes=2880 - day)).isoformat()
        db.executemany("INSERT INTO prices (market, time, price, source) VALUES (?, ?, ?, 'coingecko')",
                       ((name, at, 100.5) for name in names))
    db.commit()
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    prices = [1000.5 + m for m in range(markets)]
    processor, wall, before = time.process_time(), time.monotonic(), written()
    for poll in range(polls):
        prices = [price + random.uniform(-1, 1) for price in prices]
        record(db, zip(names, prices), start + datetime.timedelta(minutes=poll))
    report(processor, wall, before, polls, markets)


def whole_polls(path, port, polls, folder):
    db = open_database(path)
    url = f"http://127.0.0.1:{port}/api/v3/coins/markets?vs_currency=usd&per_page=250&page=1"
    processor, wall, before = time.process_time(), time.monotonic(), written()
    for _ in range(polls):
        time.sleep(1)  # A daemon's poll finds cold caches, too.
        with urllib.request.urlopen(url, timeout=20) as answer:
            rows = json.load(answer)
        at = datetime.datetime.now(datetime.timezone.utc)
        record(db, [(row["id"], row["current_price"]) for row in rows], at)
        status = {"state": "ok", "written_at": at.isoformat(), "markets": [
            {"market": row["id"], "symbol": row["symbol"], "name": row["name"], "currency": "usd",
             "price": str(row["current_price"]), "quoted_at": row["last_updated"], "fetched_at": at.isoformat(),
             "state": "fresh", "change_24h_percent": row["price_change_percentage_24h"]} for row in rows]}
        draft = os.path.join(folder, "script.json.tmp")
        with open(draft, "w") as file:
            json.dump(status, file)
        os.replace(draft, draft[:-4])
        with open(os.path.join(folder, "script.log"), "a") as file:
            file.write(f"{at.isoformat()} info poll.ok markets={len(rows)}\n")
    report(processor, wall, before, polls, len(rows))


if __name__ == "__main__":
    if sys.argv[1] == "record":
        record_polls(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    else:
        whole_polls(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5])
