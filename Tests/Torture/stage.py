"""What the parts of the torture share: their options, their findings, servers on loopback, daemons that are killed, and
a look at a database that was left behind."""
import argparse
import contextlib
import ctypes
import datetime
import http.server
import json
import os
import pathlib
import random
import re
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
RELEASE = ROOT / ".build/release-static/release/pricewatch"
DEBUG = ROOT / ".build/debug/pricewatch"


class Part:
    """One part of the torture: its options, its chance, its folder, what it counted and what it found."""

    def __init__(self, description):
        arguments = argparse.ArgumentParser(description=description.split("\n")[0])
        arguments.add_argument("--binary", type=pathlib.Path, default=RELEASE if RELEASE.exists() else DEBUG)
        arguments.add_argument("--minutes", type=float, default=1)
        arguments.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1_000_000))
        options = arguments.parse_args()
        self.name = pathlib.Path(sys.argv[0]).stem
        self.binary, self.seed, self.minutes = options.binary.resolve(), options.seed, options.minutes
        self.end = time.monotonic() + options.minutes * 60
        self.dice = random.Random(options.seed)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix=f"pricewatch-{self.name.replace('_', '-')}-"))
        self.counts, self.findings = {}, []
        print(f"{self.name}: seed {self.seed}, {self.minutes:g} min, {self.binary}", flush=True)

    def goes_on(self):
        """Until its time is over or it has found enough."""
        return time.monotonic() < self.end and len(self.findings) < 20

    def count(self, what, number=1):
        self.counts[what] = self.counts.get(what, 0) + number

    def found(self, what):
        self.findings.append(what)
        print(f"DEFECT {self.name}: {what}", flush=True)

    def over(self):
        """Prints what was counted, as the last line, and ends the process: 1 where something was found."""
        if self.findings:
            print(f"kept for a look: {self.folder}")
        else:
            shutil.rmtree(self.folder, ignore_errors=True)
        print(json.dumps({"counts": self.counts, "findings": len(self.findings)}), flush=True)
        sys.exit(1 if self.findings else 0)

    def skip(self, why):
        """Ends a part that cannot be held here."""
        shutil.rmtree(self.folder, ignore_errors=True)
        print(json.dumps({"counts": {}, "findings": 0, "skipped": why}), flush=True)
        sys.exit(0)


# Servers.

class Server(http.server.ThreadingHTTPServer):
    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False
    request_queue_size = 100

    def handle_error(self, request, client_address):
        pass  # a killed daemon leaves its connections as they are


def serve(handler, port=0):
    """A server on loopback that answers until `leave`; port 0 is any that is free."""
    server = Server(("127.0.0.1", port), handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    return server


def leave(server):
    server.shutdown()
    server.server_close()


class Quiet(http.server.BaseHTTPRequestHandler):
    """A handler that keeps connections, writes no log, and answers with one call."""
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else the body waits 40 ms for the headers to be confirmed

    def reply(self, body=b"{}", status=200, headers=()):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


def stamp(moment):
    """A time as CoinGecko writes it."""
    text = datetime.datetime.fromtimestamp(moment, datetime.timezone.utc).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")


@contextlib.contextmanager
def simulator(part, *options):
    """A simulated market of the program's own; its base URL."""
    process = spawn(
        [part.binary, "simulate", "--seed", str(part.seed), *options], stdout=subprocess.PIPE, text=True)
    try:
        yield re.search(r"http://\S+", process.stdout.readline()).group()
    finally:
        process.terminate()
        process.wait()


# Processes. They end with the part that started them, however it ends.

LIBC = ctypes.CDLL(None)


def die_with_parent():
    PR_SET_PDEATHSIG = 1
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def spawn(arguments, **more):
    more = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "preexec_fn": die_with_parent, **more}
    return subprocess.Popen([os.fspath(word) for word in arguments], **more)


def start(binary, configuration, **more):
    return spawn([binary, "run", "--config", configuration], **more)


def stop(daemon):
    daemon.terminate()
    return daemon.wait()


def kill(process):
    process.send_signal(signal.SIGKILL)
    process.wait()


def run_and_kill(part, configuration, before_kill=lambda kill: None, after_start=lambda kill: None):
    """Starts a daemon and kills it until the part's time is over, each time after up to 4 seconds, one time in four
    within less than half a second. Returns the one that lives on."""
    victim = start(part.binary, configuration)
    while part.goes_on():
        number = part.counts.get("kills", 0)
        before_kill(number)
        time.sleep(part.dice.uniform(0.03, 0.4) if part.dice.random() < 0.25 else part.dice.uniform(0.05, 4))
        kill(victim)
        part.count("kills")
        victim = start(part.binary, configuration)
        after_start(number)
    return victim


# Databases.

def ask(folder, question):
    """The rows that the database in this folder answers with."""
    with contextlib.closing(sqlite3.connect(f"file:{folder}/history.db?mode=ro", uri=True)) as database:
        return database.execute(question).fetchall()


TORN = """SELECT count(*) FROM poll
WHERE samples <> (SELECT count(*) FROM sample WHERE sample.id BETWEEN poll.id << 20 AND (poll.id << 20) + 1048575)"""
ORPHANS = "SELECT count(*) FROM sample WHERE id >> 20 NOT IN (SELECT id FROM poll)"


def look(original, scratch):
    """The fault of a database, and when its newest poll began, in milliseconds; (None, 0) before it has tables.

    It looks at a copy at `scratch`: to put the original right is up to pricewatch."""
    for suffix in ("", "-wal", "-shm"):
        pathlib.Path(f"{scratch}{suffix}").unlink(missing_ok=True)
        if suffix != "-shm" and pathlib.Path(f"{original}{suffix}").exists():
            shutil.copy(f"{original}{suffix}", f"{scratch}{suffix}")
    with contextlib.closing(sqlite3.connect(scratch)) as db:
        try:
            if not db.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'poll'").fetchone()[0]:
                return None, 0
            if (whole := db.execute("PRAGMA integrity_check").fetchone()[0]) != "ok":
                return whole, 0
            if torn := db.execute(TORN).fetchone()[0]:
                return f"{torn} polls in part", 0
            if orphans := db.execute(ORPHANS).fetchone()[0]:
                return f"{orphans} samples without a poll", 0
            return None, db.execute("SELECT ifnull(max(at), 0) FROM poll WHERE NOT backfilled").fetchone()[0]
        except sqlite3.DatabaseError as error:
            return str(error), 0


class Bent:
    """The clocks and the look-up of names of a program, bent by `bend.c`."""

    def __init__(self, part):
        self.library, self.file = preload(part, "bend.c"), part.folder / "bent"
        self.clock = self.names = self.stands = 0
        self.set()
        self.env = {**os.environ, "LD_PRELOAD": str(self.library), "BENT": str(self.file), "TZ": "UTC"}

    def set(self, clock=None, names=None, stands=None):
        """`stands`: the moment at which all clocks stand, in seconds since 1970."""
        self.clock = self.clock if clock is None else clock
        self.names = self.names if names is None else names
        self.stands = self.stands if stands is None else stands
        with open(self.file, "r+b" if self.file.exists() else "wb") as file:  # the same file: it is mapped
            file.write(struct.pack("qqq", self.clock, self.names, self.stands * 1_000_000_000))


    @staticmethod
    def is_idle(process):
        """Whether all threads of a process sleep, but for the one of `bend.c`, and none of them did anything meanwhile."""
        def look():
            found = {}
            for task in pathlib.Path(f"/proc/{process.pid}/task").iterdir():
                name, _, rest = (task / "stat").read_text().partition("(")[2].rpartition(")")
                found[task.name] = rest.split()[0], (task / "schedstat").read_text()
                if name == "bend":
                    del found[task.name]
            return found
        with contextlib.suppress(OSError):  # a thread that has ended
            found = look()
            return all(state == "S" for state, _ in found.values()) and look() == found
        return False


def preload(part, source):
    """A library for LD_PRELOAD, compiled anew."""
    if not shutil.which("gcc"):
        part.skip("gcc is not installed")
    library = part.folder / (source + ".so")
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", library, pathlib.Path(__file__).with_name(source), "-ldl",
                    "-lpthread"], check=True)
    return library


def command(part, *arguments, timeout=120, env=None):
    """Runs a command to its end: exit code, standard output, standard error."""
    ended = subprocess.run(
        [str(part.binary), *map(str, arguments)], capture_output=True, text=True, timeout=timeout, env=env,
        errors="replace")
    return ended.returncode, ended.stdout, ended.stderr
