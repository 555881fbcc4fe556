#!/usr/bin/env python3
"""Kills pricewatch with SIGKILL at random moments of writing, pruning, backup, reload, migration and restore, also twice
within a second, and looks at what is left.

    Tests/Torture/whole_polls.py [--minutes 1] [--seed N] [--binary PROGRAM]

A simulated market is polled as fast as it goes into a database whose limit makes it prune. After each kill the database
must be whole, every poll all there or not there at all, no poll lost that was there before, and a copy under its final
name must be whole, too."""
import contextlib
import pathlib
import sqlite3
import time

import stage

DAY = 86_400_000
KINDS = ["writing", "twice", "pruning", "backup", "reload", "migration", "restore"]
FIRST_RELEASE = pathlib.Path(__file__).with_name("first_release.sql")
# What the database of the first release holds: polls, and markets in each.
OLD_POLLS, OLD_MARKETS = 400, 200


class Installation:
    """A folder with a configuration, in which a daemon runs and is killed."""

    def __init__(self, part, name, url):
        self.part, self.url = part, url
        self.folder = part.folder / name
        self.folder.mkdir()
        self.database = self.folder / "history.db"
        self.configuration = self.folder / "pricewatch.yaml"
        self.configure()

    def configure(self, top=250, rules=1):
        """Replaced in one step, as an editor does."""
        lines = "".join(f"  - {{name: r{n}, markets: all, moves: {n + 1}%, within: 1m}}\n" for n in range(rules))
        draft = self.folder / "draft.yaml"
        draft.write_text(
            f"watch: {{top: {top}}}\nfeeds: [{{provider: coingecko, url: \"{self.url}\"}}]\npoll: {{every: 1s}}\n"
            f"history: {{database: {self.database}, keep_samples: 12h, max_size: 2MiB, backfill: null}}\n"
            f"log: {{file: {self.folder}/log}}\nstatus_file: {self.folder}/status.json\nalerts:\n{lines}")
        draft.rename(self.configuration)

    def start(self):
        return stage.start(self.part.binary, self.configuration)

    def start_command(self, *arguments):
        return stage.spawn([self.part.binary, *arguments, "--config", self.configuration])

    def look(self, database=None):
        """Says what is wrong with a database; when its newest poll began."""
        database = database or self.database
        fault, newest = stage.look(database, self.folder / "looked-at.db")
        if fault:
            self.part.found(f"kill {self.part.counts.get('kills')}: {database.name}: {fault}")
        return newest

    def is_well(self):
        """A poll succeeds, and nothing had to be set aside."""
        code, _, errors = stage.command(self.part, "run", "--once", "--config", self.configuration)
        if code not in (0, 69):
            self.part.found(f"kill {self.part.counts.get('kills')}: the next start ended with {code}: {errors}")
        if damaged := list(self.folder.glob("*.damaged-*")):
            self.part.found(f"kill {self.part.counts.get('kills')}: set aside: {[path.name for path in damaged]}")

    def kill(self, process):
        stage.kill(process)
        self.part.count("kills")

    def wait(self, least, most):
        time.sleep(self.part.dice.uniform(least, most))


def grow_old(database):
    """Adds 300 polls of the day before yesterday, so that pruning has to work for a while."""
    with contextlib.closing(sqlite3.connect(database)) as db, db:
        if db.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'poll'").fetchone()[0]:
            first = db.execute("SELECT ifnull(max(id), 0) FROM poll").fetchone()[0]
            fill(db, first + 1, 300, 250, int(time.time() * 1000) - 2 * DAY, backfilled=1)


def fill(db, first, polls, markets, at, backfilled=0):
    for poll in range(first, first + polls):
        db.execute(
            "INSERT INTO poll (id, at, fetched_at, feed, outcome, samples, backfilled) VALUES (?, ?, ?, 1, 'ok', ?, ?)",
            (poll, at + poll, at + poll, markets, backfilled))
        db.executemany(
            "INSERT INTO sample VALUES (?, 77, -2, 5, 1)", (((poll << 20) + n,) for n in range(1, markets + 1)))


class Torture:
    def __init__(self, part, url):
        self.part = part
        self.main = Installation(part, "main", url)
        self.old = Installation(part, "old", url)
        self.restored = Installation(part, "restored", url)
        self.newest = 0
        self.copy = self.main.folder / "copy.db"

    def writing(self):
        self.run_main(lambda daemon: self.main.wait(0.02, 1.6))

    def twice(self):
        for _ in range(2):
            self.run_main(lambda daemon: self.main.wait(0.005, 0.45))

    def pruning(self):
        if self.main.database.exists():
            grow_old(self.main.database)
        self.run_main(lambda daemon: self.main.wait(0.02, 1.2))

    def backup(self):
        def copy(daemon):
            self.main.wait(0.05, 0.3)
            command = self.main.start_command("backup", self.copy)
            self.main.wait(0.002, 0.06)
            self.main.kill(command)
            self.main.wait(0, 0.3)
        self.run_main(copy)
        if self.copy.exists():
            self.main.look(self.copy)
            self.part.count("copies looked at")
            self.copy.unlink()

    def reload(self):
        def edit(daemon):
            self.main.wait(0.05, 0.6)
            for _ in range(self.part.dice.randint(1, 5)):
                self.main.configure(self.part.dice.choice([10, 100, 250]), self.part.dice.randint(1, 4))
                daemon.send_signal(1)
                self.main.wait(0, 0.08)
        self.run_main(edit)
        self.main.configure()

    def run_main(self, body):
        daemon = self.main.start()
        body(daemon)
        self.main.kill(daemon)
        if self.main.database.exists():
            newest = self.main.look()
            if newest < self.newest and not self.part.findings:
                self.part.found(f"the newest poll began at {newest}, before it was {self.newest}")
            self.newest = newest

    def migration(self):
        """The first start on a database of the first release, killed."""
        for path in self.old.folder.glob("history.db*"):
            path.unlink()
        with contextlib.closing(sqlite3.connect(self.old.database)) as db, db:
            db.executescript("PRAGMA journal_mode = WAL;" + FIRST_RELEASE.read_text())
            db.execute("INSERT INTO feed VALUES (1, 'coingecko')")
            db.executemany("INSERT INTO series VALUES (?, ?, 'usd', 's', 'n', NULL)",
                           ((n, f"old-{n}") for n in range(1, OLD_MARKETS + 1)))
            fill(db, 1, OLD_POLLS, OLD_MARKETS, int(time.time() * 1000) - 3_600_000)
        daemon = self.old.start()
        self.old.wait(0.002, 0.06)
        self.old.kill(daemon)
        self.old.look()
        self.old.is_well()
        with contextlib.closing(sqlite3.connect(self.old.database)) as db:
            migrations = db.execute("SELECT count(*) FROM grdb_migrations").fetchone()[0]
            kept = db.execute(f"SELECT count(*) FROM poll WHERE id <= {OLD_POLLS}").fetchone()[0]
            if migrations < 3 or kept != OLD_POLLS:
                self.part.found(f"{kept} of {OLD_POLLS} polls after the migration, {migrations} migrations")

    def restore(self):
        """A backup is put in the database's place, killed; then one of the two must be there, whole."""
        place = self.restored
        if not place.database.exists():
            place.is_well()
            stage.command(self.part, "backup", place.folder / "good.db", "--config", place.configuration)
            place.is_well()
        before, backup = place.look(), place.look(place.folder / "good.db")
        command = place.start_command("restore", place.folder / "good.db")
        place.wait(0.002, 0.08)
        place.kill(command)
        if not place.database.exists():
            # Between the two renames of a restore there must not be nothing.
            self.part.found(f"kill {self.part.counts['kills']}: a killed restore left no database")
        elif (newest := place.look()) not in (before, backup):
            self.part.found(f"a killed restore left polls until {newest}, neither {before} nor {backup}")
        place.is_well()
        for path in [*place.folder.glob("*.replaced-*"), *place.folder.glob(".history*")]:
            self.part.count("databases kept by restore")
            path.unlink()


def main():
    part = stage.Part(__doc__)
    with stage.simulator(part) as url:
        torture = Torture(part, url)
        while part.goes_on():
            kind = KINDS[part.counts.get("kills", 0) % len(KINDS)] if part.dice.random() < 0.7 else part.dice.choice(KINDS)
            getattr(torture, kind)()
            part.count(kind)
        for installation in (torture.main, torture.restored):
            installation.is_well()
    part.over()


main()
