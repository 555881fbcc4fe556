#!/usr/bin/env python3
"""Kills a daemon with SIGKILL at random moments while its rules fire and resolve, beside an undisturbed one.

Both ask the same provider and must end with the same events under the same ids, each logged exactly once.

    Tests/Torture/same_events.py [--minutes 1] [--seed N] [--binary PROGRAM]
"""
import collections
import json
import os
import random
import re
import shutil
import threading
import time
import urllib.parse

import stage

# Prices stand until both daemons were answered for this long, counting no pause longer than STEADY: what they add up for
# `for` is more than the rules want, whichever of the answers die with a daemon.
PLATEAU, STEADY = 7.0, 1.6
MARKETS = ["bitcoin", "ethereum", "solana", "tether"]
RULES = """
  - {name: "above \\"100\\"", markets: all, above: 100}
  - {name: held-below-95, markets: all, below: 95, for: 2s}
  - {name: corridor, market: bitcoin, outside: [80, 105], clear: 100}
  - {name: only-once, market: ethereum, above: 100, once: true}
  - {name: lingering, market: solana, above: 100, keep_firing_for: 2s}
"""


def price(market, step):
    return random.Random(f"{market} {step}").choice(["90", "100", "110.5", "120"])


class Provider(stage.Quiet):
    lock = threading.Lock()
    step, last, seen, goes_on = 0, {}, {"calm": 0.0, "rough": 0.0}, True

    def do_GET(self):
        url = urllib.parse.urlparse(self.path)
        query, asker, now = urllib.parse.parse_qs(url.query), url.path.split("/")[1], time.time()
        with self.lock:
            pause = now - self.last.get(asker, 0)
            self.seen[asker] += pause if pause <= STEADY else 0
            self.last[asker] = now
            if self.goes_on and min(self.seen.values()) >= PLATEAU:
                Provider.step += 1
                self.seen.update(calm=0.0, rough=0.0)
            step = self.step
        rows = [
            '{"id": %s, "symbol": "s", "name": "N", "current_price": %s, "last_updated": "%s"}'
            % (json.dumps(market), price(market, step), stage.stamp(now))
            for market in query.get("ids", [""])[0].split(",") if market
        ]
        self.reply(("[" + ",".join(rows) + "]").encode())

    @classmethod
    def both_have_seen(cls):
        """Waits until both were answered long enough with prices that stand."""
        cls.goes_on = False
        deadline = time.monotonic() + 120
        while min(cls.seen.values()) < PLATEAU and time.monotonic() < deadline:
            time.sleep(0.1)


def configure(folder, port):
    path = os.path.join(folder, "pricewatch.yaml")
    with open(path, "w") as file:
        file.write(f"""watch: {{markets: [{", ".join(MARKETS)}]}}
feeds: [{{provider: coingecko, url: "http://127.0.0.1:{port}/{folder.name}/api/v3"}}]
poll: {{every: 1s, timeout: 5s}}
history: {{database: {folder}/history.db}}
log: {{file: {folder}/log}}
status_file: {folder}/status.json
alerts:{RULES}""")
    return path


def events(folder):
    found = collections.defaultdict(list)
    for rule, market, event, identity in stage.ask(
            folder, "SELECT rule, market, event, event_id FROM event ORDER BY id"):
        found[rule, market].append((event, identity))
    return found


def main():
    part = stage.Part(__doc__)
    part.end -= PLATEAU * 2
    server = stage.serve(Provider)
    calm, rough = part.folder / "calm", part.folder / "rough"
    calm.mkdir()
    path = configure(calm, server.server_port)
    stage.command(part, "run", "--once", "--config", path)
    # The same database, so that the same announcement has the same id in both.
    shutil.copytree(calm, rough)
    undisturbed = stage.start(part.binary, path)
    disturbed = stage.run_and_kill(part, configure(rough, server.server_port))
    Provider.both_have_seen()
    for daemon in (undisturbed, disturbed):
        daemon.terminate()
    for daemon in (undisturbed, disturbed):
        daemon.wait()

    expected, found = events(calm), events(rough)
    for key in sorted(set(expected) | set(found)):
        if expected[key] != found[key]:
            same = next((n for n, both in enumerate(zip(expected[key], found[key])) if both[0] != both[1]),
                        min(len(expected[key]), len(found[key])))
            part.found(f"{key}: event {same} of {len(expected[key])} undisturbed, of {len(found[key])} when killed: "
                       f"{expected[key][same:same + 2]}, {found[key][same:same + 2]}")
    with open(rough / "log") as log:
        logged = collections.Counter(re.findall(r"event_id=([0-9a-f]{16})", log.read()))
    stored = {identity for list_ in found.values() for _, identity in list_}
    for identity in stored:
        if logged[identity] != 1:
            part.found(f"event {identity}: logged {logged[identity]} times")
    for identity in set(logged) - stored:
        part.found(f"event {identity}: logged and not stored")
    part.count("events undisturbed", sum(map(len, expected.values())))
    part.count("events when killed", len(stored))
    part.over()


main()
