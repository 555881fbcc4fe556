#!/usr/bin/env python3
"""Lets a daemon live through months against the model of `Tests/Independent/rules.py`, and compares what both say after
each poll.

    Tests/Torture/daemon.py [--minutes 1] [--seed N] [--binary PROGRAM]

All clocks of the daemon stand (see `bend.c`) until a poll has been compared; then they are put to the moment of the next,
which is sometimes late, as after a machine was suspended. Now and then the daemon is stopped or killed and started again;
then, and with a reload, amounts of the portfolio and numbers of rules are edited."""
import copy
import json
import signal
import subprocess
import time

import stage
from game import LEFT, Game, Provider
from random_rules import START, paced
from rules import PACE, iso

# Longer than a poll takes on a busy machine.
PATIENCE = 30


class Lived(Game):
    """An installation with a daemon that runs from poll to poll."""

    def __init__(self, part, name, url, every):
        super().__init__(part, name, url, every)
        self.bent = stage.Bent(part)
        self.daemon, self.due, self.interval = None, self.now + every, every
        self.priced = set()  # the markets of which the last answer to this daemon had a price
        if part.dice.random() < 0.5:
            # The rest of October, at up to four times the interval.
            self.quota.requests = int(LEFT / every / part.dice.uniform(0.8, 4))

    def ask(self, *arguments):
        return subprocess.run(
            [self.part.binary, *arguments, "--config", self.folder / "pricewatch.yaml"], env=self.bent.env,
            capture_output=True, text=True, timeout=120)

    def next_time(self):
        """Mostly when the daemon has planned it; a multiple of ten seconds, as the model wants it."""
        late = paced(self.part.dice.choice([30, 60, 140, 200, 290])) if self.part.dice.random() < 0.04 else 0
        return -(-(self.due + late) // 10) * 10

    def plan(self, starts):
        """The times that have passed are not made up for."""
        self.interval = self.quota.interval(self.now)
        self.due = self.now if starts else self.due
        self.due += self.interval * (1 + (self.now - self.due) // self.interval)

    def step(self):
        dice = self.part.dice
        self.steps += 1
        if self.daemon and dice.random() < 0.01:
            self.end(dice.choice([stage.stop, stage.kill]))
        starts = not self.daemon
        if self.steps > 1:
            self.silence()
        if self.steps > 1 and (starts or dice.random() < 0.01):
            self.edit()
        last, self.now = self.now, self.next_time()
        if starts:  # no sooner after the last poll than an interval
            self.now = max(self.now, -(-(last + self.interval) // 10) * 10)
            self.interval = self.quota.interval(self.now)
        PACE.set(self.interval)
        answer = Provider.answer = self.next_answer()
        if self.looks_changed(answer, starts):
            answer = None
        Provider.now, Provider.messages = self.now, []
        holding = copy.deepcopy(self.model.silences)
        self.model.restarts = starts
        expected = self.model.step(self.now, answer)
        asked = Provider.requests
        self.bent.set(stands=self.now)
        if starts:
            self.configure()
            self.daemon = stage.start(self.part.binary, self.folder / "pricewatch.yaml", env=self.bent.env)
            self.part.count("starts")
        self.quota.spend(self.now)
        self.plan(starts)
        if not self.wait():
            return False
        if Provider.requests != asked + 1:
            self.differ(f"{Provider.requests - asked} requests")
        self.compare(expected)
        self.compare_messages(expected, holding)
        if self.steps % 500 == 0:
            self.compare_candles()
        return True

    def looks_changed(self, answer, starts):
        """Where no row has a price and two of them had one in the last answer, the provider may have changed its format:
        the poll fails."""
        if answer is None:
            return False
        kinds = {name: kind for name, (kind, _, _) in answer.items() if kind != "missing"}
        if not starts and set(kinds.values()) == {"null"} and len(self.priced & kinds.keys()) > 1:
            self.part.count("answers without any price that had some before")
            return True
        self.priced = {name for name, kind in kinds.items() if kind == "price"}
        return False

    def edit(self):
        """A daemon that runs reloads its configuration."""
        if self.part.dice.random() < 0.5:
            self.edit_amounts()
        self.edit_rule()
        if not self.daemon:
            return
        self.configure()
        log, end = self.folder / "pricewatch.log", time.monotonic() + PATIENCE
        before = log.read_text().count("config.loaded")
        self.daemon.send_signal(signal.SIGHUP)
        while log.read_text().count("config.loaded") == before or not self.bent.is_idle(self.daemon):
            if time.monotonic() > end:
                self.differ("the configuration was not reloaded")
                break
            time.sleep(0.005)
        self.part.count("reloads")

    def wait(self):
        """Until the poll of this moment has ended and nothing is on its way."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.daemon.poll() is None:
            try:
                status = json.loads((self.folder / "status.json").read_bytes())
                last, outbox = status["last_poll"], status["outbox"]
            except FileNotFoundError:
                last = None
            if (last and last["at"].startswith(iso(self.now)[:-1]) and outbox["queued"] == outbox["held"]
                    and self.bent.is_idle(self.daemon)):
                return True
            time.sleep(0.001)
        self.differ(f"the daemon ended with {self.daemon.poll()}" if self.daemon.poll() is not None
                    else f"no poll ended within {PATIENCE} s; the last: {last}, outbox: {outbox}")
        return False

    def end(self, how):
        if self.daemon:
            how(self.daemon)
        self.daemon = None


def main():
    part = stage.Part(__doc__)
    url = f"http://127.0.0.1:{stage.serve(Provider).server_port}"
    games = 0
    while part.goes_on():
        games += 1
        every = part.dice.choice([60, 600])
        game = Lived(part, f"game-{games}", url, every)
        try:
            while part.goes_on() and game.steps < 20_000 and game.step():
                part.count("polls of the daemon")
        finally:
            game.end(stage.kill)
        part.count("hours", (game.now - START) // 3600)
    part.over()


main()
