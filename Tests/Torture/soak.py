#!/usr/bin/env python3
"""Very many polls of 250 markets, a tenth of them faulty, with channels that hang, a reload each 1,000 polls and a clock
that is put forward an hour now and then, so that hours close and samples are pruned: nothing may grow.

    Tests/Torture/soak.py [--minutes 1] [--polls 100000] [--seed N] [--binary PROGRAM]

It needs a build whose shortest interval is lowered, which `make soak-build` makes in a folder of its own; nothing else
is different in it. Memory, descriptors, threads and file sizes are read after 10 % of the polls and at the end."""
import contextlib
import email.utils
import json
import os
import pathlib
import random
import re
import signal
import socketserver
import sys
import threading
import time

import stage

SOAK = stage.ROOT / ".build/release-short/release/pricewatch"
MARKETS, VARIANTS = 250, 40
# Polls between two hours that pass at once, and between two reloads.
HOUR_EACH, RELOAD_EACH = 400, 1000
MOST_GROWTH = 1 << 20
# Seconds between two times that the daemon gives freed memory back, and some more.
GIVEN_BACK_EACH = 40


class World:
    """What provider and receivers share."""
    dice = random.Random()
    polls, faults, offset = 0, 0, 0
    bodies = []
    hangs = True  # whether channels hang and fail


def body(variant):
    rows = (f'{{"id":"m{n}","symbol":"s{n}","name":"Market {n}","current_price":{100 + n + (variant * 7 + n) % 11 / 10},'
            f'"market_cap":1,"total_volume":1}}' for n in range(MARKETS))
    return ("[" + ",".join(rows) + "]").encode()


class Answers(socketserver.StreamRequestHandler):
    """Answers as fast as Python can: the request line is all that is looked at."""

    def handle(self):
        with contextlib.suppress(OSError):
            while line := self.rfile.readline():
                length = 0
                while (field := self.rfile.readline()) not in (b"\r\n", b""):
                    if field[:15].lower() == b"content-length:":
                        length = int(field[15:])
                self.rfile.read(length)
                if not (self.price() if line.startswith(b"GET") else self.message()):
                    return

    def send(self, status, content, kind="application/json", length=None):
        head = (f"HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {length or len(content)}\r\n"
                f"Date: {email.utils.formatdate(time.time() + World.offset, usegmt=True)}\r\n\r\n")
        self.wfile.write(head.encode() + content)
        return length is None

    def price(self):
        World.polls += 1
        good = World.bodies[World.polls % VARIANTS]
        if World.dice.random() >= 0.1:
            return self.send(200, good)
        World.faults += 1
        kind = World.dice.choice(["503", "badjson", "truncate", "close", "nulls", "empty", "html"])
        if kind == "503":
            return self.send(503, b'{"error":"busy"}')
        if kind == "badjson":
            return self.send(200, good[:len(good) // 2])
        if kind == "truncate":
            return self.send(200, good[:len(good) // 2], length=len(good))
        if kind == "nulls":
            return self.send(200, re.sub(rb'"current_price":[0-9.]+', b'"current_price":null', good))
        if kind == "empty":
            return self.send(200, b"[]")
        if kind == "html":
            return self.send(500, b"<html>error</html>", "text/html")
        return False

    def message(self):
        chance = World.dice.random()
        if World.hangs and chance < 0.2:
            time.sleep(1.5)  # longer than its timeout
            return False
        return self.send(500 if World.hangs and chance < 0.4 else 200, b"{}")


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False
    request_queue_size = 100

    def handle_error(self, request, client_address):
        pass


class Soak:
    def __init__(self, part, polls, every):
        self.part, self.polls, self.every, self.folder = part, polls, every, part.folder
        self.configuration = self.folder / "pricewatch.yaml"
        # A day must have passed before the first figures: its prices are held in memory.
        self.judges_memory = polls // 10 >= 24 * HOUR_EACH
        self.bent = stage.Bent(part)
        self.server = Server(("127.0.0.1", 0), Answers)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.figures = {}

    def configure(self, round_=0):
        port = self.server.server_address[1]
        markets = ", ".join(f"m{n}" for n in range(MARKETS))
        draft = self.folder / "draft"
        draft.write_text(f"""watch: {{markets: [{markets}]}}
feeds: [{{provider: coingecko, url: "http://127.0.0.1:{port}/api/v3"}}]
poll: {{every: {self.every}, timeout: 1s, retry: {{attempts: 2, base: 1ms, cap: 2ms}}}}
history: {{database: {self.folder}/history.db, backfill: null, keep_samples: 2h, keep_candles: 2d, max_size: 64MiB}}
log: {{file: {self.folder}/log, level: warning}}
status_file: {self.folder}/status.json
metrics_file: {self.folder}/metrics.prom
notify:
  one: {{webhook: "http://127.0.0.1:{port}/one", timeout: 1s, max_age: 1m}}
  two: {{webhook: "http://127.0.0.1:{port}/two", timeout: 1s, max_age: 1m, quiet: ["00:00-00:01"]}}
alerts:
  - {{name: level, market: m0, above: 100.5}}
  - {{name: moves, markets: [m1, m2, m3], moves: 0.5%, within: 10s, repeat: 1m}}
  - {{name: edited, market: m4, above: {104 + round_ % 2}, for: 1s}}
""")
        draft.rename(self.configuration)

    def pass_an_hour(self):
        World.offset += 3600
        self.bent.set(clock=World.offset)

    def read(self, pid):
        """Resident bytes, descriptors, threads, and the bytes of what it writes."""
        rollup = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
        anonymous = int(re.search(r"^Anonymous:\s+(\d+)", rollup, re.M).group(1)) * 1024
        resident = int(re.search(r"^Rss:\s+(\d+)", rollup, re.M).group(1)) * 1024
        size = lambda name: (self.folder / name).stat().st_size if (self.folder / name).exists() else 0
        return {"resident": resident, "anonymous": anonymous, "descriptors": len(os.listdir(f"/proc/{pid}/fd")),
                "threads": len(os.listdir(f"/proc/{pid}/task")), "database": size("history.db"),
                "wal": size("history.db-wal"), "log": size("log"), "status": size("status.json"),
                "metrics": size("metrics.prom")}

    def has_sent_all(self):
        """Whether the messages that waited while channels hung have been sent, and their memory been given back: what a
        queue holds follows from how fast this machine polls."""
        if not self.judges_memory:
            return True
        if World.hangs:
            World.hangs, self.empty_since = False, None
        if self.empty_since is None:
            with open(self.folder / "status.json") as file:
                self.empty_since = time.monotonic() if json.load(file)["outbox"]["queued"] < 10 else None
        return self.empty_since is not None and time.monotonic() - self.empty_since > GIVEN_BACK_EACH

    def measure(self, pid):
        """Of some moments the least, since what a running request or message holds is given back; of files the largest,
        since they are short while no price is fresh."""
        moments = []
        for _ in range(40):
            moments.append(self.read(pid))
            time.sleep(0.1)
        least = {"resident", "anonymous", "descriptors", "threads"}
        return {key: (min if key in least else max)(moment[key] for moment in moments) for key in moments[0]}

    def run(self, binary):
        World.bodies = [body(variant) for variant in range(VARIANTS)]
        World.dice = random.Random(self.part.seed)
        self.configure()
        daemon = stage.start(
            binary, self.configuration, env=self.bent.env, stderr=open(self.folder / "stderr", "wb"))
        reloads, hours, marks = 1, 1, {self.polls // 10: "after a tenth", self.polls // 2: "at half", self.polls: "at the end"}
        while marks and daemon.poll() is None:
            time.sleep(0.05)
            if World.polls >= reloads * RELOAD_EACH:
                self.configure(reloads)
                daemon.send_signal(signal.SIGHUP)
                reloads += 1
            if World.polls >= hours * HOUR_EACH:
                self.pass_an_hour()
                hours += 1
            if (self.folder / "log").exists() and (self.folder / "log").stat().st_size > 1 << 20:
                (self.folder / "log").rename(self.folder / "log.1")  # as logrotate does
            mark = min(marks)
            if World.polls >= mark and self.has_sent_all():
                self.figures[marks.pop(mark)] = figures = self.measure(daemon.pid)
                World.hangs = True
                print(f"{World.polls} polls: {figures}", flush=True)
        if daemon.poll() is not None:
            self.part.found(f"the daemon ended with {daemon.returncode} after {World.polls} polls")
            return
        stage.stop(daemon)
        self.part.count("polls", World.polls)
        self.part.count("faulty answers", World.faults)
        self.part.count("reloads", reloads - 1)
        self.part.count("hours that passed", hours - 1)

    def judge(self):
        first, last = self.figures.get("after a tenth"), self.figures.get("at the end")
        if not first or not last:
            return
        for key, value in last.items():
            self.part.count(f"{key} after a tenth", first[key])
            self.part.count(f"{key} at the end", value)
        growth = last["anonymous"] - first["anonymous"]
        if growth > MOST_GROWTH and self.judges_memory:
            self.part.found(f"memory grew by {growth} bytes")
        for key, most in (("descriptors", 2), ("threads", 2), ("wal", 1 << 20), ("status", 1 << 14), ("metrics", 1 << 14)):
            if last[key] > first[key] + most:
                self.part.found(f"{key}: {first[key]} after a tenth, {last[key]} at the end")
        if fault := stage.look(self.folder / "history.db", self.folder / "looked-at.db")[0]:
            self.part.found(f"the database: {fault}")


def main():
    polls, arguments = 0, []
    for number, word in enumerate(sys.argv):
        if word == "--polls":
            polls = int(sys.argv[number + 1])
            arguments = sys.argv[number:number + 2]
    sys.argv = [word for word in sys.argv if word not in arguments]
    part = stage.Part(__doc__)
    if not SOAK.exists():
        part.skip("there is no build for it: make soak-build")
    # As many as a slow machine gets through.
    polls = polls or int(part.minutes * 60 * 60)
    soak = Soak(part, polls, "4ms")
    soak.run(SOAK)
    soak.judge()
    part.over()


main()
