"""What the page costs: its answers, its memory, and what the daemon notices of it."""
import gzip
import http.client
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import threading
import time

MIXED = ["/", "/m/{}", "/m/{}?window=1y", "/m/{}.svg", "/alerts", "/status", "/status.json", "/feed.atom", "/healthz",
         "/style.css"]
RATE, CLIENTS = 200, 10  # requests a second, connections


class Page:
    """`pricewatch web` on a port of the system's choosing, as its unit runs it."""

    def __init__(self, program, configuration):
        self.process = subprocess.Popen(
            ["chrt", "--idle", "0", program, "web", "--listen", "127.0.0.1:0", "--config", configuration],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env={**os.environ, "MALLOC_ARENA_MAX": "2"})
        self.port = int(re.search(r"http://127\.0\.0\.1:(\d+)", self.process.stdout.readline())[1])

    def resident(self):
        """MiB."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024

    def end(self):
        self.process.terminate()
        self.process.wait()


def ask(connection, path):
    """Milliseconds to the first byte, the status and the length of the answer, packed as it came."""
    began = time.perf_counter()
    connection.request("GET", path, headers={"Accept-Encoding": "gzip"})
    answer = connection.getresponse()
    took = (time.perf_counter() - began) * 1e3
    body = answer.read()
    if answer.getheader("Content-Encoding") != "gzip":
        body = gzip.compress(body)
    return took, answer.status, len(body)


def answers(page, path, count=30):
    """The middle of the times to the first byte once it is warm, and the length."""
    connection = http.client.HTTPConnection("127.0.0.1", page.port)
    found = [ask(connection, path) for _ in range(count)][count // 3:]
    connection.close()
    failed = [status for _, status, _ in found if status != 200]
    if failed:
        raise SystemExit(f"{path}: {failed[0]}")
    return statistics.median(took for took, _, _ in found), found[-1][2]


def load(page, market, seconds):
    """Asks evenly from several connections, in a process that delays no other. Returns the times to the first byte and
    what failed."""
    ended = subprocess.run(["chrt", "--idle", "0", sys.executable, __file__, str(page.port), market, str(seconds)],
                           stdout=subprocess.PIPE, check=True)
    return json.loads(ended.stdout)


def asked(port, market, seconds):
    times, failures = [], []
    end = time.monotonic() + seconds

    def client(place):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        turn, due = place, time.monotonic() + place / RATE
        while due < end:
            time.sleep(max(0, due - time.monotonic()))
            path = MIXED[turn % len(MIXED)].format(market)
            try:
                took, status, _ = ask(connection, path)
                times.append(took)
                if status != 200:
                    failures.append(f"{path}: {status}")
            except (OSError, http.client.HTTPException) as error:
                failures.append(f"{path}: {error!r}")
                connection.close()
            turn, due = turn + 1, due + CLIENTS / RATE
        connection.close()

    clients = [threading.Thread(target=client, args=(place,)) for place in range(CLIENTS)]
    for one in clients:
        one.start()
    for one in clients:
        one.join()
    return times, failures


if __name__ == "__main__":
    print(json.dumps(asked(int(sys.argv[1]), sys.argv[2], float(sys.argv[3]))))
