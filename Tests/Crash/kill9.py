#!/usr/bin/env python3
"""Kills a daemon with SIGKILL at random moments while its rules fire and resolve, beside one that nobody disturbs.

Both ask the same provider and must end with the same events under the same ids, each logged exactly once.

    Tests/Crash/kill9.py [--binary .build/debug/pricewatch] [--kills 100] [--seed 1]
"""
import collections
import datetime
import http.server
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.parse

import victim

PLATEAU = 6.0  # seconds for which prices stand: several polls, and longer than any restart
MARKETS = ["bitcoin", "ethereum", "solana", "tether"]
RULES = """
  - {name: "above \\"100\\"", markets: all, above: 100}
  - {name: held-below-95, markets: all, below: 95, for: 2s}
  - {name: corridor, market: bitcoin, outside: [80, 105], clear: 100}
  - {name: only-once, market: ethereum, above: 100, once: true}
  - {name: lingering, market: solana, above: 100, keep_firing_for: 2s}
"""


def price(market, at, begun):
    step = int((at - begun) / PLATEAU)
    return random.Random(f"{market} {step}").choice(["90", "100", "110.5", "120"])


class Provider(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    begun = 0.0

    def do_GET(self):
        query = urllib.parse.parse_qs(urllib.parse.urlparse(self.path).query)
        now = time.time()
        stamp = datetime.datetime.fromtimestamp(now, datetime.timezone.utc).isoformat(timespec="milliseconds")
        rows = [
            '{"id": %s, "symbol": "s", "name": "N", "current_price": %s, "last_updated": "%s"}'
            % (json.dumps(market), price(market, now, self.begun), stamp.replace("+00:00", "Z"))
            for market in query.get("ids", [""])[0].split(",") if market
        ]
        body = ("[" + ",".join(rows) + "]").encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


def configure(folder, port):
    path = os.path.join(folder, "pricewatch.yaml")
    with open(path, "w") as file:
        file.write(f"""watch: {{markets: [{", ".join(MARKETS)}]}}
feeds: [{{provider: coingecko, url: "http://127.0.0.1:{port}/api/v3"}}]
poll: {{every: 1s, timeout: 5s}}
history: {{database: {folder}/history.db}}
log: {{file: {folder}/log}}
status_file: {folder}/status.json
alerts:{RULES}""")
    return path


def events(folder):
    found = collections.defaultdict(list)
    for rule, market, event, identity in victim.ask(
            folder, "SELECT rule, market, event, event_id FROM event ORDER BY id"):
        found[rule, market].append((event, identity))
    return found


def main():
    options = victim.options()
    Provider.begun = time.time()
    server = victim.serve(Provider)
    root = tempfile.mkdtemp(prefix="pricewatch-kill9-")
    calm, rough = os.path.join(root, "calm"), os.path.join(root, "rough")
    os.mkdir(calm)
    path = configure(calm, server.server_port)
    subprocess.run([options.binary, "run", "--once", "--config", path], check=True, stderr=subprocess.DEVNULL)
    # The same database, so that the same announcement has the same id in both.
    shutil.copytree(calm, rough)
    undisturbed = victim.start(options.binary, path)
    disturbed = victim.run_and_kill(options, configure(rough, server.server_port))
    # Both have seen the running plateau before they stop together.
    time.sleep(PLATEAU * 2)
    time.sleep(PLATEAU - (time.time() - Provider.begun) % PLATEAU + PLATEAU * 0.8)
    for daemon in (undisturbed, disturbed):
        daemon.terminate()
    for daemon in (undisturbed, disturbed):
        daemon.wait()

    expected, found = events(calm), events(rough)
    faults = [f"{key}: {expected[key]} undisturbed, {found[key]} when killed"
              for key in sorted(set(expected) | set(found)) if expected[key] != found[key]]
    with open(os.path.join(rough, "log")) as log:
        logged = collections.Counter(re.findall(r"event_id=([0-9a-f]{16})", log.read()))
    stored = {identity for list_ in found.values() for _, identity in list_}
    faults += [f"event {identity}: logged {logged[identity]} times" for identity in stored if logged[identity] != 1]
    faults += [f"event {identity}: logged and not stored" for identity in logged if identity not in stored]
    print(f"{options.kills} kills, {sum(map(len, expected.values()))} events undisturbed, {len(stored)} when killed: "
          + ("the same" if not faults else "NOT the same"))
    for fault in faults:
        print(fault)
    if faults:
        print(f"kept for a look: {root}")
        sys.exit(1)
    shutil.rmtree(root)


main()
