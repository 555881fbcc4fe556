#!/usr/bin/env python3
"""Looks for reports whose parts belong to different moments, where answers and deliveries come at the same time.

    Tests/Torture/torn_reports.py [--minutes 1] [--seed N] [--binary PROGRAM]

A provider ranks its markets anew at each answer; each market has a 24 h change of its own that never changes, and
prices that tell which answer they come from. An alert flips at every poll, and its webhooks answer at about the moment
at which the provider does, each refusing every other message, so that the status is written again and again while an
answer is taken in. Every status file, and the metrics file beside it, is read: each change must be its market's own, all ranked prices of a file
must come from one answer, and no file may show an older answer, or count fewer polls, than the one before. Those
that do are kept."""

import collections
import ctypes
import json
import os
import random
import re
import struct
import sys
import threading
import time
import urllib.parse

import stage

WATCHED, KNOWN = 250, 300
WEBHOOKS = 8
# How long after the provider's answer the webhooks may answer, in seconds: what a debug build needs to take it in.
SPREAD = 0.06

answered = threading.Condition()
answers = {"ranked": 0, "named": 0}


def change(market):
    """Of `m17` 17 hundredths of a percent."""
    return int(market[1:]) / 100


def row(market, answer):
    number = int(market[1:])
    # The whole part says whose price it is, the decimals from which answer; `m0` flips around its alert's level.
    price = f"{number * 1000 + 5000 + answer % 2 if number == 0 else number * 1000}.{answer:06d}"
    return {"id": market, "symbol": market, "name": market.upper(), "current_price": float(price),
            "market_cap": 1, "total_volume": 1, "price_change_percentage_24h": change(market),
            "last_updated": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())}


class Provider(stage.Quiet):
    def do_GET(self):
        query = urllib.parse.parse_qs(urllib.parse.urlparse(self.path).query)
        kind = "named" if "ids" in query else "ranked"
        with answered:
            answers[kind] += 1
            number = answers[kind]
        if kind == "named":
            markets = query["ids"][0].split(",")
        else:
            markets = random.sample([f"m{i}" for i in range(1, KNOWN)], WATCHED)
        self.reply(json.dumps([row(market, number) for market in markets]).encode())
        if kind == "ranked":
            with answered:
                answered.notify_all()


class Webhook(stage.Quiet):
    messages = collections.Counter()

    def do_POST(self):
        self.messages[self.path] += 1
        status = 200 if self.messages[self.path] % 2 else 404
        self.rfile.read(int(self.headers["Content-Length"]))
        with answered:
            answered.wait(timeout=5)
        time.sleep(random.uniform(0, SPREAD))
        self.reply(status=status)


class Files:
    """What is put in the place of a file of a folder."""

    def __init__(self, folder):
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.descriptor = self.libc.inotify_init1(os.O_NONBLOCK)
        moved_to = 0x80
        if self.descriptor < 0 or self.libc.inotify_add_watch(self.descriptor, os.fsencode(folder), moved_to) < 0:
            sys.exit(f"watch {folder}: {os.strerror(ctypes.get_errno())}")

    def replaced(self):
        """The names, as they are replaced; waits for 5 ms at most."""
        try:
            events = os.read(self.descriptor, 65536)
        except BlockingIOError:
            time.sleep(0.002)
            return []
        names, at = [], 0
        while at < len(events):
            length = struct.unpack_from("iIII", events, at)[3]
            names.append(events[at + 16:at + 16 + length].rstrip(b"\0").decode())
            at += 16 + length
        return names


class Checker:
    def __init__(self, part):
        self.part = part
        self.files = 0
        self.newest = 0
        self.last_poll = ""
        self.polls = 0

    def keep(self, what, text):
        self.part.found(what)
        (self.part.folder / f"torn-{len(self.part.findings)}").write_text(text)

    def look_at_status(self, text):
        self.files += 1
        report = json.loads(text)
        faults = []
        rows = [row for row in report["markets"] if row["state"] == "fresh"]
        wrong = [row["market"] for row in rows if row["change_24h_percent"] != change(row["market"])]
        wrong += [row["market"] for row in rows if row["market"] != "m0"
                  and int(float(row["price"])) != int(row["market"][1:]) * 1000]
        if wrong:
            faults.append(f"{len(wrong)} of {len(rows)} markets have what is not theirs: {wrong[:5]}")
        moves = report["summary_24h"]["gainers"] + report["summary_24h"]["losers"]
        if moved := [move["market"] for move in moves if move["change_percent"] != change(move["market"])]:
            faults.append(f"the summary says of {moved} what is not theirs")
        if rows and (unlisted := {move["market"] for move in moves} - {row["market"] for row in rows}):
            faults.append(f"the summary speaks of {unlisted}, which are not listed")
        ranked = {round(float(row["price"]) % 1 * 1e6) for row in rows if row["market"] != "m0"}
        if len(ranked) > 1:
            faults.append(f"prices of the answers {sorted(ranked)}")
        if ranked and min(ranked) < self.newest:
            faults.append(f"answer {min(ranked)} after answer {self.newest}")
        self.newest = max(ranked, default=self.newest)
        last_poll = (report["last_poll"] or {"at": ""})["at"]
        if last_poll < self.last_poll or self.last_poll and report["state"] == "starting":
            faults.append(f"{report['state']}, last poll at {last_poll!r} after one at {self.last_poll}")
        self.last_poll = last_poll
        if faults:
            self.keep(f"status file {self.files}: " + "; ".join(faults), text)

    def look_at_metrics(self, text):
        found = re.findall(r'pricewatch_change_24h_ratio\{market="(m\d+)"\} (\S+)', text)
        wrong = [market for market, ratio in found if abs(float(ratio) * 100 - change(market)) > 1e-9]
        if wrong:
            self.keep(f"metrics file: {len(wrong)} of {len(found)} changes belong to others: {wrong[:5]}", text)
        polls = sum(int(count) for count in re.findall(r'pricewatch_polls_total\{.*\} (\d+)', text))
        if not self.polls <= polls <= answers["ranked"]:
            self.keep(f"metrics file: {polls} polls after {self.polls}, of {answers['ranked']} answers", text)
        self.polls = polls


def main():
    part = stage.Part(__doc__)
    random.seed(part.seed)
    folder = part.folder
    status, metrics = folder / "status" / "status.json", folder / "pricewatch.prom"
    provider, webhook = (f"http://127.0.0.1:{stage.serve(handler).server_port}" for handler in (Provider, Webhook))
    hooks = ", ".join(f"hook{i}: {{webhook: \"{webhook}/{i}\"}}" for i in range(WEBHOOKS))
    status.parent.mkdir()
    configuration = folder / "pricewatch.yaml"
    configuration.write_text(
        f"watch: {{markets: [m0], top: {WATCHED}}}\nfeeds: [{{provider: coingecko, url: \"{provider}\"}}]\n"
        f"poll: {{every: 1s}}\nhistory: {{database: {folder}/history.db, backfill: null}}\nbuiltin_alerts: false\n"
        f"alerts: [{{name: flip, market: m0, above: 5000.5}}]\nnotify: {{{hooks}}}\n"
        f"log: {{file: {folder}/log}}\nstatus_file: {status}\nmetrics_file: {metrics}\n")
    files, checker = Files(status.parent), Checker(part)
    daemon = stage.start(part.binary, configuration)
    while part.goes_on() and daemon.poll() is None:
        if status.name in files.replaced():
            checker.look_at_status(status.read_text())
            if metrics.exists():
                checker.look_at_metrics(metrics.read_text())
    if daemon.poll() is not None:
        part.found(f"the daemon ended with {daemon.returncode}")
    stage.stop(daemon)
    sent = (folder / "log").read_text().count(" notify.sent ")
    if not sent or 2 * checker.files < answers["ranked"]:
        part.found("too little was seen")
    for what, number in (("status files", checker.files), ("polls", answers["ranked"]), ("messages sent", sent)):
        part.count(what, number)
    part.over()


main()
