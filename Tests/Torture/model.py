#!/usr/bin/env python3
"""Plays random prices to the program and to the model of `Tests/Independent/rules.py`, and compares what both say.

    Tests/Torture/model.py [--minutes 1] [--seed N] [--binary PROGRAM]

Half of the time is for `run --once`, a process a step, under a clock that faketime holds still at each step: every event,
state, price, change, candle, message and count of requests, for polls each minute and each ten minutes over fake days,
with silences, quiet hours, a digest and a portfolio. The other half is for thousands of polls at once, written into a
database and played by `rehearse`."""
import contextlib
import copy
import json
import os
import pathlib
import sqlite3
import subprocess
import time

import stage
from game import LEFT, Game, Provider
from random_rules import next_time
from rules import PACE, iso

FAKETIME = next(pathlib.Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None)


class Stepped(Game):
    """An installation that is asked by `run --once`, a process a step."""
    reports_gaps = False  # its user decides when to poll

    def ask(self, *arguments):
        return subprocess.run(
            [self.part.binary, *arguments, "--config", self.folder / "pricewatch.yaml"],
            env={"PATH": os.environ["PATH"], "HOME": str(self.folder), "TZ": "UTC", "NO_FAKE_STAT": "1",
                 "LD_PRELOAD": str(FAKETIME), "FAKETIME": iso(self.now).replace("T", " ")[:-1],
                 "FAKETIME_DONT_FAKE_MONOTONIC": "1",
                 # Without it the library adds it, which moves the environment away from where Swift looks for the
                 # words of the command line.
                 "FAKETIME_SHARED": "/none /none"},
            capture_output=True, text=True, timeout=120)

    def step(self):
        dice = self.part.dice
        self.steps += 1
        self.now = next_time(dice, self.now)
        PACE.set(self.quota.interval(self.now))
        if self.steps > 1 and dice.random() < 0.02:
            self.edit_amounts()
        if self.steps > 1 and dice.random() < 0.03:
            self.edit_rule()
        answer = self.next_answer()
        Provider.now, Provider.answer, Provider.messages = self.now, answer, []
        self.configure()
        if self.steps > 1:
            self.silence()
        holding = copy.deepcopy(self.model.silences)
        expected = self.model.step(self.now, answer)
        asked = Provider.requests
        ended = self.ask("run", "--once")
        self.quota.spend(self.now)
        if ended.returncode not in (0, 69) or Provider.requests != asked + 1:
            self.differ(f"run --once ended with {ended.returncode}, {Provider.requests - asked} requests: {ended.stderr}")
            return
        self.compare(expected)
        self.compare_messages(expected, holding)
        if self.steps % 100 == 0:
            self.compare_candles()


class Rehearsed(Stepped):
    """Thousands of polls that are written into a database and played by `rehearse`."""

    def __init__(self, part, name, url, every):
        super().__init__(part, name, url, every)
        self.model.restarts = False
        self.trusts = "null"  # what waits for another poll is the matter of the steps
        for market in self.model.markets.values():
            market.confirms = False

    def play(self, polls):
        self.configure()
        self.steps = 1
        Provider.now, Provider.answer = self.now, {name: path.next(self.now) for name, path in self.paths.items()}
        first = self.model.step(self.now, Provider.answer)
        ended = self.ask("run", "--once")
        if ended.returncode != 0:
            self.differ(f"run --once ended with {ended.returncode}: {ended.stderr}")
            return
        expected = [(self.now, event) for event in first]
        with contextlib.closing(sqlite3.connect(self.folder / "history.db")) as db, db:
            series = dict(db.execute("SELECT market, id FROM series").fetchall())
            poll = db.execute("SELECT max(id) FROM poll").fetchone()[0]
            feed = db.execute("SELECT feed FROM poll WHERE id = ?", (poll,)).fetchone()[0]
            poll = max(poll, db.execute("SELECT ifnull(max(id), 0) FROM turn").fetchone()[0])
            for _ in range(polls):
                self.steps += 1
                self.now = next_time(self.part.dice, self.now)
                answer = self.next_answer()
                expected += [(self.now, event) for event in self.model.step(self.now, answer)]
                poll += 1
                self.write(db, poll, feed, series, answer)
        ended = self.ask("rehearse", "--since", "2000d", "--json")
        if ended.returncode != 0:
            self.differ(f"rehearse ended with {ended.returncode}: {ended.stderr}")
            return
        report = json.loads(ended.stdout)
        said = [event for rule in report["rules"] for event in rule["events"]]
        # A rehearsal is one long run: nothing in it is late.
        self.compare_events(
            [(*event[:7], iso(now), event[7]) for now, event in expected if event[2] != "pending"],
            [(event["rule"], event["market"], event["event"], event["reason"], event["price"], event["threshold"],
              event["change_percent"], event["at"], event["since"]) for event in said if event["event"] != "pending"])
        self.part.count("polls rehearsed", polls)

    def write(self, db, poll, feed, series, answer):
        new = [name for name, market in self.model.markets.items() if answer is not None and market.recorded]
        usable = answer is not None and any(kind == "price" for kind, _, _ in answer.values())
        complete = usable and all(kind == "price" for kind, _, _ in answer.values())
        outcome = "failed" if not usable else "unchanged" if not new else "ok" if complete else "partial"
        at = self.now * 1000
        db.execute(
            "INSERT INTO poll (id, at, fetched_at, feed, outcome, error, samples, backfilled, interval) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?)",
            (poll, at, at, feed, outcome, None if usable else "empty" if answer else "server", len(new), PACE.every * 1000))
        for name in new:
            price, quoted, _ = self.model.markets[name].trusted
            _, digits, exponent = price.normalize().as_tuple()
            db.execute("INSERT INTO sample VALUES (?, ?, ?, ?, 1)",
                       ((poll << 20) + series[name], int("".join(map(str, digits))), exponent, at - quoted * 1000))
        for name, (kind, _, _) in (answer or {}).items():
            market = self.model.markets[name]
            if kind != "price" or market.reason == "old_quote":
                db.execute("INSERT INTO unknown VALUES (?, ?, ?)", (poll, series[name], market.reason))


def main():
    part = stage.Part(__doc__)
    if not FAKETIME:
        part.skip("libfaketime is not installed (Debian's package faketime)")
    url = f"http://127.0.0.1:{stage.serve(Provider).server_port}"
    half = time.monotonic() + part.minutes * 30
    games = 0
    while part.goes_on() and time.monotonic() < half:
        games += 1
        every = part.dice.choice([60, 600])
        game = Stepped(part, f"game-{games}", url, every)
        if part.dice.random() < 0.5:
            # The rest of October, at up to four times the interval.
            game.quota.requests = int(LEFT / every / part.dice.uniform(0.8, 4))
        while part.goes_on() and time.monotonic() < half and game.steps < 1500:
            game.step()
            part.count("steps of run --once")
    while part.goes_on():
        games += 1
        game = Rehearsed(part, f"game-{games}", url, part.dice.choice([60, 600]))
        game.play(part.dice.choice([300, 2000, 5000]))
    part.over()


main()
