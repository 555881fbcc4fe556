"""What the page is tried on: a provider that can be told to fail, a daemon, and the page's server."""
import contextlib
import http.server
import json
import os
import re
import select
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.request

PATIENCE = 120  # seconds for a condition that a daemon on a busy machine reaches


def wait_for(condition, what, patience=PATIENCE):
    """Asks until there is an answer that is true, and returns it."""
    end = time.monotonic() + patience
    while not (answer := condition()):
        if time.monotonic() > end:
            raise TimeoutError(f"waited {patience} s for {what}")
        select.select([], [], [], 0.1)
    return answer


class Program:
    """A process that prints its address first."""

    def __init__(self, arguments, folder):
        self.log = open(os.path.join(folder, f"{arguments[1]}.err"), "w+")
        self.process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=self.log, text=True)

    def address(self):
        """The first URL of its output."""
        for line in self.process.stdout:
            if found := re.search(r"http://127\.0\.0\.1:\d+[/a-z0-9]*", line):
                # What it says later must not fill the pipe.
                threading.Thread(target=self.process.stdout.read, daemon=True).start()
                return found[0]
        self.log.seek(0)
        raise RuntimeError(f"{self.process.args} ended: {self.log.read()}")

    def end(self, by=signal.SIGTERM):
        self.process.send_signal(by)
        self.process.wait()
        self.log.close()


class Provider(http.server.BaseHTTPRequestHandler):
    """Passes requests on to `pricewatch simulate`, and changes the answers: `rewrite` is called for each market, and
    while the server `is_down`, it answers 503."""
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        status, body = 503, b"{}"
        if not self.server.is_down:
            try:
                with urllib.request.urlopen(self.server.origin + self.path.removeprefix("/api/v3")) as answer:
                    status, body = 200, answer.read()
            except urllib.error.HTTPError as error:
                status, body = error.code, error.read()
        if status == 200 and self.server.rewrite:
            # Prices are text on the way through, so that none is rounded.
            found = json.loads(body, parse_float=str)
            if isinstance(found, list):
                for market in found:
                    self.server.rewrite(market)
            body = re.sub(r'": "(-?[0-9.]+(?:[eE][-+]?[0-9]+)?)"', r'": \1', json.dumps(found)).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


class Stage:
    """A folder with a configuration, and the programs that run on it."""

    def __init__(self, binary, folder, settings, rewrite=None, has_standby=False):
        self.binary, self.folder, self.programs = binary, folder, contextlib.ExitStack()
        os.makedirs(folder, exist_ok=True)
        simulator = self.start("simulate")
        self.provider = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Provider)
        self.provider.daemon_threads = True
        self.provider.origin, self.provider.rewrite = simulator.address(), rewrite
        self.provider.is_down = False
        threading.Thread(target=self.provider.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        self.programs.callback(self.provider.shutdown)
        self.configuration = os.path.join(folder, "pricewatch.yaml")
        feeds = {"coingecko": f"http://127.0.0.1:{self.provider.server_port}/api/v3"}
        if has_standby:
            feeds["standby"] = self.provider.origin
        feeds = "".join(f"  - {{provider: coingecko, name: {name}, plan: pro, key: none, quota_month: 1000000000, "
                        f'url: "{url}"}}\n' for name, url in feeds.items())
        with open(self.configuration, "w") as file:
            file.write(f"""
feeds:
{feeds}history: {{database: {folder}/history.db, backfill: null}}
log: {{file: {folder}/log}}
status_file: {folder}/status.json
{settings}""")
        self.daemon = None

    def start(self, *words):
        program = Program([self.binary, *words], self.folder)
        self.programs.callback(lambda: program.process.poll() is None and program.end())
        return program

    def run(self, *words, codes=(0,)):
        done = subprocess.run(
            [self.binary, *words, "--config", self.configuration], capture_output=True, text=True)
        if done.returncode not in codes:
            raise RuntimeError(f"{words} exited with {done.returncode}: {done.stderr}")
        return done.stdout

    def watch(self):
        self.daemon = self.start("run", "--config", self.configuration)
        # An earlier one may have left a status with a poll.
        process = self.daemon.process

        def has_polled():
            status = self.status()
            return status.get("pid") == process.pid and status["last_poll"] and status["state"] != "starting"

        wait_for(has_polled, "the first poll")

    def status(self):
        """That of the status file, empty while there is none."""
        try:
            with open(os.path.join(self.folder, "status.json")) as file:
                return json.load(file)
        except FileNotFoundError:
            return {}

    def fires(self, rule):
        return any(alert["rule"] == rule for alert in self.status()["alerts"]["firing"])

    def serve(self):
        """The page's address, without a slash at its end."""
        return self.start("web", "--config", self.configuration, "--listen", "127.0.0.1:0").address().rstrip("/")

    def end(self):
        self.programs.close()
