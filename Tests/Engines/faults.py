#!/usr/bin/env python3
"""The engine is away, hangs, asks to wait, refuses one line or every request: what the export does, and that nothing
else of the daemon notices. A second daemon that exports nothing is the measure of this machine's own delays.

    Tests/Engines/faults.py [--binary B] [--seed N] [--seconds 60] [--markets 50]
"""
import os
import threading
import time

from daemon import Daemon, compare, demand_same, lateness
from engines import VictoriaMetrics
from provider import Prices, Provider, names
from proxy import Proxy
from stage import Stage, median, options, wait

LATE = 0.1  # s
GROWTH = 16  # MiB


class Watch(threading.Thread):
    """Resident memory of the daemon, ten times a second."""

    def __init__(self, daemon):
        super().__init__(daemon=True)
        self.process = daemon
        self.seen = []

    def run(self):
        while True:
            try:
                self.seen.append((time.time(), self.process.resident()))
            except (OSError, AttributeError, StopIteration):
                pass  # between two processes
            time.sleep(0.1)

    def between(self, since, until):
        return [resident for at, resident in self.seen if since <= at < until]


class Faults:
    def __init__(self, stage):
        self.stage = stage
        self.seconds = stage.options.seconds
        self.provider = Provider(names(stage.options.markets), Prices(stage.options.seed))
        self.engine = VictoriaMetrics(stage).start().ready()
        self.proxy = Proxy(self.engine)
        self.daemon = Daemon(stage, self.provider, [{"name": "cluster", "influx": f"{self.proxy.url}/write"}])
        self.control = Daemon(stage, self.provider, [], name="control")
        self.daemon.start().ready()
        self.control.start().ready()
        self.watch = Watch(self.daemon)
        self.watch.start()
        self.phases = []
        self.line_ended = 0.0

    def phase(self, name, fault=None):
        """Lets a fault last; returns when it began."""
        began = time.time()
        if fault is None:
            time.sleep(self.seconds)
        else:
            with fault:
                time.sleep(self.seconds)
                self.stage.say(f"{name}: {self.shown()}")
                self.during(name, began)
        self.phases.append((name, began, time.time()))
        return began

    def shown(self):
        shown = {name: self.daemon.metric(f"export_{name}") for name in (
            "lag_seconds", "pending_samples", "sent_total", "refused_total", "lost_total")}
        return f"{shown} {self.daemon.reasons()}"

    def during(self, name, began):
        """What status and metrics must show while the fault lasts."""
        demand = self.stage.demand
        pending, lag = (self.daemon.metric(f"export_{what}") for what in ("pending_samples", "lag_seconds"))
        if name in ("away", "hang", "reset", "429", "500", "401", "404"):
            expected = self.seconds / 2
            demand(pending and pending >= expected * len(self.provider.markets) / 2,
                   f"{name}: {pending} samples pending after {self.seconds} s")
            demand(lag and expected <= lag <= self.seconds + 30, f"{name}: a lag of {lag} s after {self.seconds} s")
        refused = "export_refused" in self.daemon.reasons()
        demand(refused == (name in ("401", "404")), f"{name}: the reasons are {self.daemon.reasons()}")
        words = self.daemon.run("status").stdout
        demand("cluster" in words, f"{name}: status does not name the export: {words}")

    def recover(self):
        """Waits until everything was sent; after backoff that takes up to a minute."""
        began = time.time()
        self.daemon.drained()
        self.phases.append(("recovery", began, time.time()))

    def slow_down(self):
        """429 with Retry-After: no request comes earlier."""
        wait_for = max(3, int(self.seconds // 3))
        began = self.phase("429", self.proxy.faulty("429", retry_after=wait_for))
        times = [request[0] for request in self.proxy.since(began)]
        gaps = [later - earlier for earlier, later in zip(times, times[1:])]
        self.stage.demand(len(times) > 1 and min(gaps) >= wait_for,
                          f"429 with Retry-After {wait_for}: requests {gaps} s apart")
        self.recover()

    def one_line(self):
        """An engine that takes all or nothing refuses one market's lines: these alone are missing, and counted."""
        refused = self.daemon.metric("export_refused_total") or 0
        bad = self.provider.markets[3]
        began = self.phase("line", self.proxy.faulty("line", bad=f"market={bad} "))
        ended = time.time()
        self.recover()
        refused = (self.daemon.metric("export_refused_total") or 0) - refused
        requests = len(self.proxy.since(began, "line"))
        # What is polled at this moment may be missing, too.
        missing = [place for place in compare(self.daemon.recorded(), self.engine.prices())[0] if place[1] < ended * 1000]
        self.stage.say(f"line: {refused:.0f} refused in {requests} requests, {len(missing)} missing")
        self.stage.demand({market for market, _ in missing} == {bad}, f"line: missing are {missing[:5]}")
        self.stage.demand(refused >= len(missing) > 0, f"line: {refused} counted as refused, {len(missing)} missing")
        self.stage.demand(any("unable to parse" in line for line in self.daemon.log("export.")),
                          "line: the engine's words are not in the log")
        self.line_ended = time.time()

    def blocked(self, mode):
        """Nothing is lost, and next to nothing is asked, until the user acts: here by a restart."""
        began = self.phase(mode, self.proxy.faulty(mode))
        requests = len(self.proxy.since(began, mode))
        self.stage.demand(1 <= requests <= 3, f"{mode}: {requests} requests in {self.seconds} s")
        self.daemon.stop()
        self.daemon.start().ready()
        self.phases.append(("restart", began, time.time()))
        self.recover()

    def repair(self):
        """`export verify` finds the market whose lines were refused, and sends them again; so would a restart within
        two minutes, which comes later."""
        # It leaves out the last minute.
        wait("a minute passes", lambda: time.time() > self.line_ended + 65, 90)
        bad = self.provider.markets[3]
        code, words = self.daemon.verify()
        self.stage.demand(code == 1 and bad in words, f"export verify ended with {code}: {words[-300:]}")
        code, words = self.daemon.verify("--repair")
        self.stage.demand(code == 0, f"export verify --repair ended with {code}: {words[-300:]}")

    def judge(self):
        """Polls in time and memory flat, but for the phases with a restart."""
        calm = max(self.watch.between(*self.phases[0][1:]))
        restarts = [phase for phase in self.phases if phase[0] == "restart"]
        end = restarts[0][1] if restarts else time.time()
        first = self.phases[0][1]
        ours, left_out = lateness(self.daemon.poll_times(first, end))
        theirs, theirs_left_out = lateness(self.control.poll_times(first, end))
        self.stage.say(f"polls late by median {median(ours) * 1000:.0f} ms, at most {max(ours) * 1000:.0f} ms; without "
                       f"export {median(theirs) * 1000:.0f} and {max(theirs) * 1000:.0f} ms; "
                       f"{left_out} and {theirs_left_out} left out")
        self.stage.demand(max(ours) - median(ours) <= max(LATE, max(theirs) - median(theirs)),
                          f"a poll was {max(ours) * 1000:.0f} ms late")
        self.stage.demand(left_out <= theirs_left_out, f"{left_out} polls were left out")
        for name, began, ended in self.phases:
            seen = self.watch.between(began, ended)
            if seen and ended <= end:
                self.stage.demand(max(seen) <= calm + GROWTH, f"{name}: {max(seen):.0f} MiB, {calm:.0f} before")
        self.stage.say(f"resident at most {max(self.watch.between(first, end)):.0f} MiB, {calm:.0f} before any fault")


def main():
    sizes = options(__doc__, seconds=60.0, markets=50)
    # What builds and tests beside us would be taken for delays of ours.
    if os.geteuid() == 0:
        os.nice(-10)
    with Stage(sizes) as stage:
        faults = Faults(stage)
        faults.phase("calm")
        faults.phase("away", faults.proxy.away())
        faults.recover()
        for mode in ("hang", "reset", "500"):
            faults.phase(mode, faults.proxy.faulty(mode))
            faults.recover()
        faults.slow_down()
        faults.one_line()
        faults.repair()
        faults.blocked("401")
        faults.blocked("404")
        faults.judge()
        stage.demand(not (faults.daemon.metric("export_lost_total") or 0), "samples are counted as lost")
        demand_same(stage, faults.daemon.stop_drained(), faults.engine.prices(), "VictoriaMetrics beside SQLite")


main()
