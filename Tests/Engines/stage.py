"""Where the scripts of this folder play: a temporary folder, processes on loopback ports, and what was found wrong.

Every process is ended by the id with which it was started, and ends with the script, however that ends.
"""
import argparse
import ctypes
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

RELEASE = pathlib.Path(".build/release-static/release/pricewatch")
DEBUG = pathlib.Path(".build/debug/pricewatch")


class Late(Exception):
    """What was waited for did not come."""


def options(description, **sizes):
    """The options of a script; each size becomes an option with this default."""
    arguments = argparse.ArgumentParser(description=description.split("\n")[0])
    arguments.add_argument("--binary", type=pathlib.Path, default=RELEASE if RELEASE.exists() else DEBUG)
    arguments.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1_000_000))
    for name, value in sizes.items():
        arguments.add_argument(f"--{name}", type=type(value), default=value)
    return arguments.parse_args()


def free_port():
    """A port on which a killed engine can be started again: below those that the kernel gives to connections, so that
    none of them takes it meanwhile."""
    with open("/proc/sys/net/ipv4/ip_local_port_range") as file:
        first = int(file.read().split()[0])
    dice = random.SystemRandom()
    while True:
        with socket.socket() as tried:
            try:
                tried.bind(("127.0.0.1", dice.randrange(max(1024, first - 16_384), first)))
                return tried.getsockname()[1]
            except OSError:
                continue


def wait(what, condition, seconds=60):
    """Returns the condition's first result that holds."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        if time.monotonic() > deadline:
            raise Late(f"{what}: not within {seconds} s")
        time.sleep(0.05)
    return found


def fetch(url, body=None, seconds=60, **parameters):
    """Status and body of an answer; status 0 without one."""
    query = urllib.parse.urlencode(parameters, doseq=True)
    try:
        with urllib.request.urlopen(f"{url}?{query}" if query else url, data=body, timeout=seconds) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as refusal:
        return refusal.code, refusal.read()
    except (OSError, urllib.error.URLError):
        return 0, b""


def median(values):
    return sorted(values)[len(values) // 2]


def end_with_parent():
    """PR_SET_PDEATHSIG: a script that is killed leaves no engine behind."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


class Stage:
    """`with Stage(options) as stage:` ends with exit code 1 and keeps the folder if `stage.fault` was called."""

    def __init__(self, options):
        self.name = pathlib.Path(sys.argv[0]).stem
        self.options = options
        self.dice = random.Random(options.seed)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix=f"pricewatch-{self.name}-"))
        self.processes = []
        self.faults = []
        self.began = time.monotonic()

    def __enter__(self):
        if not self.options.binary.exists():
            sys.exit(f"{self.options.binary}: not built; make release, or swift build --product pricewatch")
        self.say(f"seed {self.options.seed}, {self.options.binary}")
        return self

    def say(self, words):
        print(f"{self.name}: {words}", flush=True)

    def fault(self, words):
        self.faults.append(words)
        self.say(f"FAULT: {words}")

    def demand(self, holds, words):
        if not holds:
            self.fault(words)

    def __exit__(self, kind, error, trace):
        if isinstance(error, Late):
            self.fault(str(error))
        for process in reversed(self.processes):
            process.kill()
        if kind is not None and not isinstance(error, Late):
            print(f"kept for a look: {self.folder}")
            return False
        took = f"{time.monotonic() - self.began:.0f} s"
        if self.faults:
            self.say(f"NOT as it should be ({len(self.faults)}), {took}, seed {self.options.seed}; "
                     f"kept for a look: {self.folder}")
            sys.exit(1)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.say(f"as it should be, {took}")
        return True


class Process:
    """A program that can be killed and started again; its output is appended to a file in the stage's folder."""

    def __init__(self, stage, name, command):
        self.stage = stage
        self.name = name
        self.command = [str(word) for word in command]
        self.folder = stage.folder / name
        self.folder.mkdir(exist_ok=True)
        self.child = None
        stage.processes.append(self)

    def start(self):
        with open(self.folder / "output", "ab") as output:
            self.child = subprocess.Popen(
                self.command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=self.folder,
                preexec_fn=end_with_parent)
        return self

    @property
    def runs(self):
        return self.child is not None and self.child.poll() is None

    def kill(self):
        """SIGKILL: nothing is flushed."""
        if self.child is not None:
            self.child.kill()
            self.child.wait()
            self.child = None

    def stop(self):
        """SIGTERM: returns the exit code."""
        self.child.terminate()
        try:
            code = self.child.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.stage.fault(f"{self.name} does not stop within 30 s")
            self.kill()
            return None
        self.child = None
        return code

    def resident(self):
        """MiB in memory."""
        with open(f"/proc/{self.child.pid}/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmRSS:")) / 1024

    def processor(self):
        """Seconds of processor time since the start."""
        with open(f"/proc/{self.child.pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
