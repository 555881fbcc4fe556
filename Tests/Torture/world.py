#!/usr/bin/env python3
"""Faults of the world in random order, each for some seconds: the provider's, the network's, the clock's, the disk's, the
machine's. The daemon lives, shows no price that was not sent, and is well again soon after each.

    Tests/Torture/world.py [--minutes 1] [--seed N] [--binary PROGRAM]

The disk is a small tmpfs, which only root can mount; else these faults are left out. A suspend is SIGSTOP and SIGCONT,
which stop the process and not the clocks. A memory limit is not among them: a process that gets no memory ends, as by
SIGKILL, which is the matter of `whole_polls.py`."""
import email.utils
import json
import os
import re
import resource
import signal
import socket
import struct
import subprocess
import threading
import time
import urllib.parse

import stage

MARKETS = [f"m{n}" for n in range(10)]
PATIENCE = 90


class Provider(stage.Quiet):
    """Prices that are never sent twice, and every fault of the simulator."""
    mode, answers, sent, lock = "ok", 0, set(), threading.Lock()

    def date_time_string(self, timestamp=None):
        return email.utils.formatdate(time.time() + (3600 if self.mode == "date" else 0), usegmt=True)

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.reply()

    def do_GET(self):
        query = urllib.parse.parse_qs(urllib.parse.urlparse(self.path).query)
        markets = query.get("ids", [""])[0].split(",")
        with self.lock:
            Provider.answers += 1
            prices = {market: f"{100 + number + self.answers % 5}.{self.answers:07d}1" for number, market in enumerate(markets)}
            Provider.sent.update(prices.items())
        mode = self.mode
        rows = [f'{{"id":"{market}","symbol":"s","name":"N","current_price":{"null" if mode == "nulls" else price}}}'
                for market, price in prices.items() if mode != "missing" or market != "m3"]
        getattr(self, mode if hasattr(Provider, mode) and mode != "answers" else "ok")(("[" + ",".join(rows) + "]").encode())

    def ok(self, body):
        self.reply(body)

    def status500(self, body):
        self.reply(b"{}", 500)

    def status404(self, body):
        self.reply(b"{}", 404)

    def wait(self, body):
        self.reply(b"{}", 429, [("Retry-After", "2")])

    def badjson(self, body):
        self.reply(body[:len(body) // 2])

    def error200(self, body):
        self.reply(b'{"status":{"error_code":500,"error_message":"busy"}}')

    def head(self, length):
        self.wfile.write(f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n".encode())

    def truncate(self, body):
        self.head(len(body))
        self.wfile.write(body[:len(body) // 2])
        self.close_connection = True

    def reset(self, body):
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True

    def hang(self, body):
        time.sleep(6)
        self.close_connection = True

    def drip(self, body):
        self.head(len(body))
        for byte in body[:40]:
            self.wfile.write(bytes([byte]))
            time.sleep(0.2)
        self.close_connection = True

    def huge(self, body):
        self.head(1 << 30)
        for _ in range(1000):
            self.wfile.write(b" " * 65536)


class World:
    def __init__(self, part):
        self.part, self.folder, self.disk = part, part.folder, part.folder / "disk"
        self.disk.mkdir()
        self.mounted = os.geteuid() == 0 and not subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", self.disk], capture_output=True).returncode
        self.bent = stage.Bent(part)
        self.server = stage.serve(Provider)
        self.port = self.server.server_port
        self.configuration = self.folder / "pricewatch.yaml"
        self.configuration.write_text(f"""watch: {{markets: [{", ".join(MARKETS)}]}}
feeds: [{{provider: coingecko, url: "http://localhost:{self.port}/api/v3"}}]
poll: {{every: 1s, timeout: 2s, retry: {{attempts: 2, base: 10ms, cap: 20ms}}, confirm_moves_over: null}}
history: {{database: {self.disk}/history.db, backfill: null, max_size: 4MiB}}
log: {{file: {self.disk}/log}}
status_file: {self.folder}/status.json
metrics_file: {self.folder}/metrics.prom
notify: {{hook: {{webhook: "http://localhost:{self.port}/hook", timeout: 2s}}}}
alerts: [{{name: moves, markets: all, moves: 1%, within: 5s, repeat: 3s}}]
""")
        self.start()

    def start(self):
        self.errors = open(self.folder / "stderr", "wb")
        self.daemon = stage.start(self.part.binary, self.configuration, stderr=self.errors, env=self.bent.env)

    def status(self):
        try:
            return json.loads((self.folder / "status.json").read_text())
        except FileNotFoundError:
            return {"state": None, "last_poll": None}

    def is_well_again(self, fault):
        """A poll that began after the fault has brought prices, and nothing is left to report."""
        answers, begun, status = Provider.answers, time.monotonic(), {}
        while time.monotonic() < begun + PATIENCE:
            if self.daemon.poll() is not None:
                self.part.found(f"after {fault} the daemon ended with {self.daemon.returncode}: "
                                + (self.folder / "stderr").read_text(errors="replace")[-800:])
                return 0
            status = self.status()
            if status["state"] == "ok" and Provider.answers > answers + 1:
                return time.monotonic() - begun
            time.sleep(0.1)
        self.part.found(f"{PATIENCE} s after {fault}: {status.get('state')} {status.get('reasons')} {status.get('last_poll')}")
        return PATIENCE

    # The faults. Each begins, waits, and ends.

    def during(self, seconds, begin, end):
        begin()
        time.sleep(seconds)
        end()

    def provider(self, dice):
        def become(mode):
            Provider.mode = mode
        mode = dice.choice(["status500", "status404", "wait", "badjson", "error200", "truncate", "reset", "hang", "drip",
                            "huge", "nulls", "missing", "date"])
        self.during(dice.uniform(1, 5), lambda: become(mode), lambda: become("ok"))
        return f"provider: {mode}"

    def no_server(self, dice):
        stage.leave(self.server)
        time.sleep(dice.uniform(1, 4))
        self.server = stage.serve(Provider, self.port)
        return "connection refused"

    def half_open(self, dice):
        """The server takes connections and never reads."""
        stage.leave(self.server)
        with socket.socket() as silent:
            silent.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            silent.bind(("127.0.0.1", self.port))
            silent.listen(100)
            time.sleep(dice.uniform(2, 5))
        self.server = stage.serve(Provider, self.port)
        return "half-open connections"

    def slow_names(self, dice):
        seconds = dice.choice([1, 3, -1])
        self.during(dice.uniform(2, 5), lambda: self.bent.set(names=seconds), lambda: self.bent.set(names=0))
        return f"names: {seconds} s"

    def clock_step(self, dice):
        step = dice.choice([-86400, -3600, -400, 3, 400, 3600, 86400 * 3])
        self.during(dice.uniform(2, 5), lambda: self.bent.set(clock=step), lambda: self.bent.set(clock=0))
        return f"clock: {step:+d} s"

    def suspend(self, dice):
        self.during(dice.uniform(1, 6), lambda: self.daemon.send_signal(signal.SIGSTOP),
                    lambda: self.daemon.send_signal(signal.SIGCONT))
        return "suspended"

    def full_disk(self, dice):
        def fill():
            with open(self.disk / "ballast", "wb", buffering=0) as file:
                try:
                    while file.write(b"x" * 4096):
                        pass
                except OSError:
                    pass
        self.during(dice.uniform(2, 6), fill, (self.disk / "ballast").unlink)
        return "full disk"

    def closed_disk(self, dice):
        """Fails while a file is open for writing, as `mount -o remount,ro` does; then bind the folder over itself."""
        subprocess.run(["mount", "-o", "remount,ro", self.disk], capture_output=True)
        time.sleep(dice.uniform(2, 5))
        subprocess.run(["mount", "-o", "remount,rw", self.disk], capture_output=True)
        return "read-only disk"

    def deleted(self, dice):
        name = dice.choice(["status.json", "metrics.prom", "disk/log", "disk/history.db.lock"])
        (self.folder / name).unlink(missing_ok=True)
        time.sleep(1)
        return f"deleted {name}"

    def no_descriptors(self, dice):
        """None beyond those that are open."""
        pid = self.daemon.pid
        soft, hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        least = max(int(name) for name in os.listdir(f"/proc/{pid}/fd")) + 1
        self.during(dice.uniform(2, 6), lambda: resource.prlimit(pid, resource.RLIMIT_NOFILE, (least, hard)),
                    lambda: self.daemon.poll() is None and resource.prlimit(pid, resource.RLIMIT_NOFILE, (soft, hard)))
        return "no descriptors"

    def reload(self, dice):
        for _ in range(dice.randint(1, 20)):
            self.daemon.send_signal(signal.SIGHUP)
            time.sleep(dice.uniform(0, 0.05))
        return "reloads"

    def faults(self):
        faults = [self.provider] * 4 + [self.no_server, self.half_open, self.suspend, self.deleted, self.no_descriptors,
                                        self.reload, self.slow_names, self.clock_step, self.clock_step]
        if self.mounted:
            faults += [self.full_disk, self.closed_disk]
        return faults

    def over(self):
        if self.daemon.poll() is None:
            code = stage.stop(self.daemon)
            if code != 0:
                self.part.found(f"SIGTERM ended it with {code}")
        fault, _ = stage.look(self.disk / "history.db", self.folder / "looked-at.db")
        if fault:
            self.part.found(f"the database: {fault}")
        recorded = stage.ask(self.disk, "SELECT market, price_text FROM prices")
        if invented := [row for row in recorded if row not in Provider.sent]:
            self.part.found(f"{len(invented)} prices that were never sent: {invented[:5]}")
        self.part.count("samples", len(recorded))
        if (aside := list(self.disk.glob("*.damaged-*"))) and not self.part.findings:
            self.part.found(f"set aside: {aside}")
        if self.mounted:
            subprocess.run(["umount", "-l", self.disk], capture_output=True)


def main():
    part = stage.Part(__doc__)
    world = World(part)
    world.is_well_again("the start")
    longest = 0
    try:
        while part.goes_on() and world.daemon.poll() is None:
            fault = part.dice.choice(world.faults())
            name = fault(part.dice)
            part.count("faults")
            part.count(re.sub(r"[:].*|(deleted).*", r"\1", name))
            longest = max(longest, world.is_well_again(name))
    finally:
        part.count("seconds until well again, at most", round(longest))
        world.over()
    part.over()


main()
