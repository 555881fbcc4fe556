"""The daemon under test, and what it shows: status file, metrics file, log and database."""
import collections
import contextlib
import json
import re
import signal
import sqlite3
import subprocess
import time
from decimal import Decimal

from stage import Process, wait


def exported(market):
    """The name of a market in an engine: backslashes, which engines read differently, are U+FF3C there."""
    return market.replace("\\", "＼")


class Daemon(Process):
    def __init__(self, stage, provider, exports, name="pricewatch", every="1s", **sections):
        self.binary = stage.options.binary.resolve()
        self.provider = provider
        folder = stage.folder / name
        self.file = folder / "pricewatch.yaml"
        self.database = folder / "history.db"
        super().__init__(stage, name, [self.binary, "run", "--config", self.file])
        self.sections = {
            "watch": {"markets": provider.markets}, "feeds": [provider.feed()],
            "poll": {"every": every, "timeout": "5s"}, "history": {"database": str(self.database)},
            "log": {"file": str(folder / "log")}, "status_file": str(folder / "status.json"),
            "metrics_file": str(folder / "metrics.prom"), **sections,
        }
        self.export_to(*exports)

    def export_to(self, *exports):
        """Writes the configuration: JSON is YAML."""
        self.sections["export"] = list(exports)
        shown = {key: value for key, value in self.sections.items() if value not in ([], None)}
        self.file.write_text(json.dumps(shown, ensure_ascii=False, indent=1))

    def reload(self):
        begun = len(self.log("config."))
        self.child.send_signal(signal.SIGHUP)
        wait("the configuration is taken", lambda: len(self.log("config.")) > begun)

    def ready(self):
        """Waits for the first poll that this process has published."""
        def published():
            status = self.status()
            return self.runs and status.get("pid") == self.child.pid and status.get("last_poll")
        wait(f"{self.name} polls", published, 120)
        return self

    def run(self, *arguments, seconds=600):
        return subprocess.run([self.binary, *arguments, "--config", self.file], capture_output=True, text=True,
                              timeout=seconds, stdin=subprocess.DEVNULL)

    def verify(self, *arguments):
        """`export verify`: exit code and words."""
        found = self.run("export", "verify", *arguments)
        return found.returncode, (found.stdout + found.stderr).strip()

    def status(self):
        try:
            return json.loads((self.folder / "status.json").read_text())
        except (OSError, ValueError):
            return {}

    def reasons(self):
        return [reason if isinstance(reason, str) else reason.get("code") for reason in self.status().get("reasons", [])]

    def metric(self, name, **labels):
        """The value in the metrics file; None where it is unknown."""
        with contextlib.suppress(OSError):
            for line in (self.folder / "metrics.prom").read_text().splitlines():
                if re.match(rf"pricewatch_{name}[{{ ]", line) and all(
                        f'{key}="{value}"' in line for key, value in labels.items()):
                    return float(line.rpartition(" ")[2])
        return None

    def log(self, event=""):
        with contextlib.suppress(OSError):
            return [line for line in (self.folder / "log").read_text().splitlines() if f" {event}" in line]
        return []

    def ask(self, question):
        with contextlib.closing(sqlite3.connect(f"file:{self.database}?mode=ro", uri=True)) as database:
            return database.execute(question).fetchall()

    def recorded(self, confirmed=1):
        """By market, as exported, and currency: the price by the time in ms for which it was quoted, exactly. The view `prices` has
        the same rows, in whole seconds."""
        found = collections.defaultdict(dict)
        for market, currency, at, significand, exponent in self.ask(
                "SELECT market, currency, fetched_at - age, significand, exponent FROM sample "
                "JOIN poll ON poll.id = sample.id >> 20 JOIN series ON series.id = sample.id & 1048575 "
                f"WHERE confirmed = {confirmed}"):
            found[exported(market), currency][at] = Decimal(significand).scaleb(exponent)
        return found

    def poll_times(self, since=0.0, until=float("inf")):
        """In seconds since 1970, of polls that began in that time."""
        return [at / 1000 for at, in self.ask("SELECT at FROM poll WHERE backfilled = 0 ORDER BY at")
                if since <= at / 1000 < until]

    def stop_drained(self, seconds=120):
        """Stops it, and returns what was recorded but for the last 10 s: the last poll,
        and what it confirmed, may be unsent."""
        self.drained(seconds)
        until = (self.poll_times()[-1] - 10) * 1000
        self.stop()
        return {series: {at: price for at, price in samples.items() if at < until}
                for series, samples in self.recorded().items()}

    def drained(self, seconds=120):
        """Waits until nothing is left to export."""
        def empty():
            return self.metric("export_pending_samples") == 0
        wait("nothing waits to be exported", empty, seconds)
        # What was polled meanwhile.
        time_of_last = time.time()
        wait("another poll is exported", lambda: self.poll_times(time_of_last) and empty(), 30)


def lateness(times, interval=1.0):
    """How late each poll began after its time, given that one of them was in time, and how many were left out."""
    if not times:
        return [], 0
    places = [round((at - times[0]) / interval) for at in times]
    offsets = [at - place * interval for at, place in zip(times, places)]
    left_out = sum(max(0, later - earlier - 1) for earlier, later in zip(places, places[1:]))
    return [offset - min(offsets) for offset in offsets], left_out


def compare(recorded, found):
    """What an engine lacks of the recorded prices, has besides, twice or otherwise: as four lists of
    (market, time in ms). Prices may differ as much as `export verify` allows: VictoriaMetrics cuts off up to 1e-12 of a value."""
    missing, foreign, twice, wrong = [], [], [], []
    for series in set(recorded) | set(found):
        ours, theirs = recorded.get(series, {}), found.get(series, [])
        times = collections.Counter(at for at, _ in theirs)
        missing += [(series[0], at) for at in ours if at not in times]
        foreign += [(series[0], at) for at in times if at not in ours]
        twice += [(series[0], at) for at, count in times.items() if count > 1]
        wrong += [(series[0], at) for at, value in theirs
                  if at in ours and abs(Decimal(value) - ours[at]) > abs(ours[at]) * Decimal("2e-12")]
    return missing, foreign, twice, wrong


def demand_same(stage, recorded, found, words):
    """Faults of the comparison up to the newest recorded price, each list with its first places."""
    newest = max(at for samples in recorded.values() for at in samples)
    found = {series: [sample for sample in samples if sample[0] <= newest] for series, samples in found.items()}
    for kind, places in zip(("missing", "not recorded", "twice", "wrong"), compare(recorded, found)):
        stage.demand(not places, f"{words}: {len(places)} {kind}, such as {sorted(places, key=lambda p: p[1])[:5]}")
    return sum(map(len, recorded.values()))
