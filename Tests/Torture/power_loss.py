#!/usr/bin/env python3
"""Cuts the power, at any moment, of a daemon that polls, tells, prunes and is backed up.

    Tests/Torture/power_loss.py [--minutes 1] [--seed N] [--binary PROGRAM]

`record_writes.c` records every write, sync and rename below the folder, and what goes to sockets, in one order. A cut
takes the records up to a random one: of each file it keeps what was synced, and of the later writes none, all, the
first ones, or some, some of those in part (whole sectors of 512 bytes). Names change in order, as file systems with a
journal of their names (ext4, xfs, btrfs) have it; a sync of a file also keeps all earlier changes of names. On what a
cut leaves, nothing that was logged or sent before it may be missing, the database must be whole, and the program must go
on with it.

It shows whether the program syncs what it must, in the right order, before it logs and sends. It does not show what a
disk does that lies about a sync, damages sectors next to those it writes, or a file system that reorders names."""
import itertools
import os
import pathlib
import random
import re
import shutil
import sqlite3
import time

import stage

MARKETS = ["alpha", "beta", "gamma"]
SECTOR = 512


class Provider(stage.Quiet):
    """Prices that cross the level of a rule at each answer."""
    answers = itertools.count()

    def do_GET(self):
        price = 90 + 20 * (next(self.answers) % 2)
        rows = ",".join(
            f'{{"id":"{market}","symbol":"s","name":"N","current_price":{price + number}}}'
            for number, market in enumerate(MARKETS))
        self.reply(f"[{rows}]".encode())

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.reply()


def configure(folder, port):
    path = folder / "pricewatch.yaml"
    path.write_text(f"""watch: {{markets: [{", ".join(MARKETS)}]}}
feeds: [{{provider: coingecko, url: "http://127.0.0.1:{port}/api/v3"}}]
poll: {{every: 1s, retry: {{attempts: 1}}, confirm_moves_over: null}}
history: {{database: {folder}/history.db, backfill: null}}
log: {{file: {folder}/log}}
status_file: {folder}/status.json
notify: {{hook: {{webhook: "http://127.0.0.1:{port}/hook"}}}}
alerts:
  - {{name: level, markets: all, above: 100}}
""")
    return path


class Record:
    """One operation: its kind, the file it concerns, where, the name, and the data."""

    def __init__(self, kind, inode, offset, path, data):
        self.kind, self.inode, self.offset, self.path, self.data = kind, inode, offset, path, data


def read(journal):
    data, at, records = journal.read_bytes(), 0, []
    while at < len(data):
        end = data.index(b"\n", at)
        kind, inode, offset, length, path = data[at:end].decode().split(" ", 4)
        at = end + 1 + int(length)
        records.append(Record(kind, int(inode), int(offset), path, data[end + 1:at]))
    return records


def change(content, record):
    """One write or truncation of a file's content."""
    if record.kind == "T":
        size = record.offset
        content[size:] = b"" if len(content) >= size else bytes(size - len(content))
        return
    if len(content) < record.offset:
        content.extend(bytes(record.offset - len(content)))
    content[record.offset:record.offset + len(record.data)] = record.data


class Disk:
    """What is on the disk, and what was not yet synced."""

    def __init__(self):
        self.files, self.later = {}, {}
        self.names, self.changes = {}, []

    def apply(self, record):
        if record.kind in "WT":
            self.later.setdefault(record.inode, []).append(record)
        elif record.kind in "CRLU":
            self.changes.append(record)
        elif record.kind == "S":
            for write in self.later.pop(record.inode, []):
                change(self.files.setdefault(record.inode, bytearray()), write)
            for renamed in self.changes:
                self.rename(self.names, renamed)
            self.changes = []

    @staticmethod
    def rename(names, record):
        if record.kind == "C":
            names[record.path] = record.inode
        elif record.kind == "U":
            names.pop(record.path, None)
        elif record.path in names:
            names[record.data.decode()] = names[record.path]
            if record.kind == "R":
                del names[record.path]

    def cut(self, dice):
        """Path to content, as a power loss leaves it."""
        names = dict(self.names)
        for renamed in self.changes[:dice.randint(0, len(self.changes))]:
            self.rename(names, renamed)
        contents = {}
        for inode in set(names.values()):
            contents[inode] = bytearray(self.files.get(inode, b""))
            for write in self.survivors(self.later.get(inode, []), dice):
                change(contents[inode], write)
        return {path: bytes(contents[inode]) for path, inode in names.items()}

    @staticmethod
    def survivors(writes, dice):
        kind = dice.choice(["none", "all", "first", "some", "torn"])
        if kind == "first":
            return writes[:dice.randint(0, len(writes))]
        if kind in ("none", "all"):
            return writes if kind == "all" else []
        kept = []
        for write in writes:
            chance = dice.random()
            if chance < 0.5:
                kept.append(write)
            elif write.kind == "W" and chance < 0.65:  # the file has grown, and its new part is empty
                kept.append(Record("W", write.inode, write.offset, "", bytes(len(write.data))) if kind == "torn"
                            else write)
            elif write.kind == "W" and kind == "torn" and len(write.data) > SECTOR:
                sectors = range(0, len(write.data), SECTOR)
                kept += [Record("W", write.inode, write.offset + at, "", write.data[at:at + SECTOR])
                         for at in dice.sample(sectors, dice.randint(1, len(sectors)))]
        return kept


class Said:
    """What was logged and sent up to a record."""

    def __init__(self, folder):
        self.log, self.folder, self.log_inode = b"", folder, None
        self.sent, self.copied = b"", False

    def take(self, record):
        if record.kind == "C" and record.path == f"{self.folder}/log":
            self.log_inode = record.inode
        elif record.kind == "W" and record.inode == self.log_inode:
            self.log += record.data
        elif record.kind == "N":
            self.sent += record.data
        elif record.kind == "M":
            self.copied = True

    def events(self):
        return {found.decode() for found in re.findall(rb"event_id=([0-9a-f]{16})", self.log)
                + re.findall(rb'"event_id":"([0-9a-f]{16})"', self.sent)}

    def polls(self):
        return self.log.count(b" poll.ok ")


def record(part, shim, seconds, port, number):
    """A daemon's life under the shim; what it did."""
    folder, journal = part.folder / f"life-{number}", part.folder / f"journal-{number}"
    folder.mkdir()
    configuration = configure(folder, port)
    env = {**os.environ, "LD_PRELOAD": str(shim), "RECORD_BELOW": str(folder), "RECORD_TO": str(journal)}
    daemon = stage.start(part.binary, configuration, env=env)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(part.dice.uniform(0.5, 3))
        code, _, _ = stage.command(part, "backup", folder / "copy.db", "--config", configuration, env=env)
        if code == 0:
            with open(journal, "ab") as file:
                file.write(b"M 0 0 0 -\n")
        if part.dice.random() < 0.3:
            stage.kill(daemon)
            daemon = stage.start(part.binary, configuration, env=env)
    stage.kill(daemon)
    return folder, read(journal)


def judge(part, files, said, folder, port):
    """Puts the files of a cut into a folder of their own and starts the program there."""
    place = part.folder / "after"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    for path, content in files.items():
        (place / pathlib.Path(path).relative_to(folder)).write_bytes(content)
    # The configuration was there before the daemon, and the log is not what is looked at.
    configuration = configure(place, port)
    (place / "status.json").unlink(missing_ok=True)
    problems = []
    if said.copied and (fault := stage.look(place / "copy.db", part.folder / "looked-at.db")[0]):
        problems.append(f"the finished backup: {fault}")
    database = place / "history.db"
    # What nothing was said of may have got no further than half of its first page; the next start sees to that.
    is_told = said.polls() or said.events() or said.copied
    if is_told and database.exists() and (fault := stage.look(database, part.folder / "looked-at.db")[0]):
        problems.append(f"before the start: {fault}")
    code, _, errors = stage.command(part, "run", "--once", "--config", configuration)
    if code != 0:
        problems.append(f"the next start ended with {code}: {errors[-500:]}")
    if damaged := list(place.glob("*.damaged-*")):
        problems.append(f"set aside: {[path.name for path in damaged]}")
    try:
        stored = {row[0] for row in stage.ask(place, "SELECT event_id FROM event")}
        polls = stage.ask(place, "SELECT count(*) FROM poll WHERE outcome = 'ok'")[0][0]
    except sqlite3.DatabaseError as error:
        return problems + [f"after the start: {error}"]
    if lost := said.events() - stored:
        problems.append(f"{len(lost)} events were logged or sent and are lost: {sorted(lost)[:3]}")
    if polls - (code == 0) < said.polls():
        problems.append(f"{said.polls()} polls were logged, {polls} are there after one more")
    return problems


def main():
    part = stage.Part(__doc__)
    shim = stage.preload(part, "record_writes.c")
    port = stage.serve(Provider).server_port
    lives = itertools.count(1)
    while part.goes_on():
        number = next(lives)
        folder, records = record(part, shim, min(20, part.minutes * 15), port, number)
        part.count("lives")
        part.count("records", len(records))
        part.count("syncs", sum(1 for record in records if record.kind == "S"))
        cuts = set(part.dice.sample(range(len(records)), min(len(records), 150)))
        disk, said = Disk(), Said(folder)
        for place, written in enumerate(records):
            disk.apply(written)
            said.take(written)
            if place not in cuts or not part.goes_on():
                continue
            seed = part.dice.randrange(1 << 30)
            part.count("power losses")
            for problem in judge(part, disk.cut(random.Random(seed)), said, folder, port):
                part.found(f"life {number}, record {place} of {len(records)}, cut {seed}: {problem}")
                shutil.copytree(part.folder / "after", part.folder / f"found-{number}-{place}", dirs_exist_ok=True)
        part.count("events said", len(said.events()))
        shutil.rmtree(folder)
    if not part.findings and part.counts.get("events said", 0) == 0:
        part.found("no event was said: nothing was tested")
    part.over()


main()
