#!/usr/bin/env python3
"""Kills a daemon with SIGKILL at random moments while it tells a receiver that refuses, hangs, answers 500 and is away.

Every event of its database must arrive on every channel at least once, in order per rule and market, and whatever
arrives again must come under the same Idempotency-Key.

    Tests/Torture/deliveries.py [--minutes 1] [--seed N] [--binary PROGRAM]
"""
import collections
import json
import os
import random
import threading
import time
import urllib.request

import stage

MARKETS = ["bitcoin", "ethereum", "solana", "tether", "dogecoin", "cardano"]
CHANNELS = ["flaky", "rough", "calm"]


class Receiver(stage.Quiet):
    lock = threading.Lock()
    dice = random.Random()
    misbehaves = True
    # Each attempt in the order of arrival: channel, key, ids of its events, number; and which numbers were answered 2xx.
    attempts = []
    taken = {}

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        channel = self.path.strip("/")
        with self.lock:
            number = len(self.attempts)
            self.attempts.append(
                (channel, self.headers["Idempotency-Key"], [event["event_id"] for event in body["events"]], number))
            mood = self.mood(channel)
            if mood in ("ok", "slow", "lost"):
                self.taken[number] = len(self.attempts)
        if mood == "hang":
            time.sleep(3)
            self.close_connection = True
        elif mood == "lost":
            self.close_connection = True  # taken, and the answer never arrives
        else:
            if mood == "slow":
                time.sleep(0.5)
            self.answer(500 if mood == "500" else 429 if mood == "429" else 200)

    def mood(self, channel):
        if not self.misbehaves or channel == "calm":
            return "ok"
        moods = {"flaky": ["ok"] * 6 + ["500", "lost", "429"], "rough": ["ok", "ok", "slow", "hang", "500", "lost"]}
        return self.dice.choice(moods[channel])

    def answer(self, status):
        try:
            self.reply(b"", status, [("Retry-After", "1")] if status == 429 else [])
        except OSError:
            self.close_connection = True  # the daemon was killed meanwhile


def rules(base):
    """Thresholds at the very prices, so that they are crossed again and again; some together, so that they come as one."""
    with urllib.request.urlopen(f"{base}/coins/markets?vs_currency=usd&ids={','.join(MARKETS)}") as answer:
        prices = {row["id"]: row["current_price"] for row in json.load(answer)}
    lines = []
    for market, price in prices.items():
        for number in range(8 if market == "bitcoin" else 3):
            word = "above" if number % 2 == 0 else "below"
            lines.append(f"  - {{name: {market}-{number}, market: {market}, {word}: {price:.10f}}}")
    lines.append("  - {name: moving, markets: all, moves: 0.01%, within: 5s, severity: critical}")
    return "\n".join(lines)


def configure(folder, base, port):
    path = os.path.join(folder, "pricewatch.yaml")
    notify = ", ".join(
        f'{name}: {{webhook: "http://127.0.0.1:{port}/{name}", timeout: 2s}}' for name in CHANNELS)
    with open(path, "w") as file:
        file.write(f"""watch: {{markets: [{", ".join(MARKETS)}]}}
feeds: [{{provider: coingecko, url: "{base}"}}]
poll: {{every: 1s, timeout: 5s, confirm_moves_over: null}}
history: {{database: {folder}/history.db}}
log: {{file: {folder}/log}}
status_file: {folder}/status.json
builtin_alerts: false
notify: {{{notify}}}
alerts:
{rules(base)}
""")
    return path


def waiting(folder):
    return stage.ask(folder, "SELECT count(*) FROM message")[0][0]


def judge(stored):
    faults = []
    keys = collections.defaultdict(set)
    first_attempt, first_taken, copies = {}, {}, collections.Counter()
    for channel, key, ids, number in Receiver.attempts:
        for event in ids:
            keys[channel, event].add(key)
            first_attempt.setdefault((channel, event), number)
            if number in Receiver.taken:
                copies[channel, event] += 1
                first_taken.setdefault((channel, event), number)
    for (channel, event), found in keys.items():
        if len(found) != 1:
            faults.append(f"{channel}: event {event} came under {len(found)} keys")
    known = {event for event, _, _ in stored}
    faults += [f"{channel}: event {event} is not in the database" for channel, event in keys if event not in known]
    for channel in CHANNELS:
        before = {}
        for event, rule, market in stored:
            if (channel, event) not in first_taken:
                faults.append(f"{channel}: event {event} of {rule} never arrived")
                continue
            earlier = before.get((rule, market))
            if earlier and first_attempt[channel, event] < first_taken[channel, earlier]:
                faults.append(f"{channel}: event {event} of {rule} overtook {earlier}")
            before[rule, market] = event
    again = sum(count - 1 for count in copies.values())
    return faults, again


def main():
    part = stage.Part(__doc__)
    # A tenth of the time is for what still waits after the last kill.
    part.end -= part.minutes * 6
    Receiver.dice = random.Random(part.seed + 1)
    away = part.dice.random
    with stage.simulator(part) as base:
        receiver = stage.serve(Receiver)
        port = receiver.server_port
        path = configure(part.folder, base, port)
        is_away = False

        def go_away(kill):
            nonlocal is_away
            is_away = away() < 0.1
            if is_away:
                stage.leave(receiver)

        def come_back(kill):
            nonlocal receiver
            if is_away:
                time.sleep(part.dice.uniform(0, 6))
                receiver = stage.serve(Receiver, port)

        daemon = stage.run_and_kill(part, path, go_away, come_back)
        Receiver.misbehaves = False
        deadline = time.time() + 400
        # Its polls go on, so that now and then something waits for a moment.
        calm = 0
        while calm < 3 and time.time() < deadline:
            time.sleep(1)
            calm = calm + 1 if waiting(part.folder) == 0 else 0
    # Nothing new happens any more.
    while waiting(part.folder) > 0 and time.time() < deadline:
        time.sleep(0.2)
    stage.stop(daemon)
    stage.leave(receiver)

    stored = stage.ask(part.folder, "SELECT event_id, rule, market FROM event WHERE event <> 'pending' ORDER BY id")
    faults, again = judge(stored)
    for fault in faults:
        part.found(fault)
    if waiting(part.folder) > 0:
        part.found(f"{waiting(part.folder)} messages still wait")
    part.count("events", len(stored))
    part.count("attempts", len(Receiver.attempts))
    part.count("with several events", sum(1 for _, _, ids, _ in Receiver.attempts if len(ids) > 1))
    part.count("again under the same key", again)
    part.over()


main()
