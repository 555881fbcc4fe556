#!/usr/bin/env python3
"""Two daemons with `shared: true` post to two Alertmanagers that gossip, while a random daemon is killed with SIGKILL.

A webhook behind both Alertmanagers must be notified of every alert once as firing and once as resolved, in turn. First
an alert fires and ends while no Alertmanager runs: it must be notified, too, and say so.

    Tests/Engines/alertmanagers.py [--binary B] [--cycles 200] [--seed S]
"""
import collections
import http.server
import json
import threading
import time
import urllib.parse

from stage import Process, Stage, fetch, free_port, options, wait

MARKETS = [f"m{number}" for number in range(8)]
MISSED = "missed"
LOW, HIGH = "50", "150"
# Alertmanager's defaults, 37 times as fast: 15 s, 5 minutes, 200 ms. Each peer has its own time at which it looks at a
# group; the second waits for word from the first, and then notifies of what it saw. So Alertmanager itself flaps where
# an alert ends between two looks that are closer than this wait: the script lets alerts end in the middle.
PEER_TIMEOUT = 0.4
GROUP_INTERVAL = 8
GOSSIP = "5ms"
# Four intervals of a second, and the poll before the change.
RUNS_OUT = 4 - 0.5


def serve(handler):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_port


class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, body=b""):
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


class Provider(Answer):
    """What a `json` feed reads: the price of each market, quoted now."""
    prices = {market: LOW for market in [*MARKETS, MISSED]}

    def do_GET(self):
        ids = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)["ids"][0].split(",")
        now = int(time.time() * 1000)
        rows = {market: {"price": self.prices[market], "time": now} for market in ids if market in self.prices}
        self.answer(json.dumps(rows).encode())


class Sink(Answer):
    """Keeps the statuses of which it was notified, by market, with the summary and the time."""
    lock = threading.Lock()
    senders = collections.Counter()
    seen = collections.defaultdict(list)

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.lock:
            for alert in body["alerts"]:
                self.seen[alert["labels"].get("market")].append(
                    (alert["status"], alert["annotations"].get("summary", ""), time.time(), alert["labels"],
                     body["externalURL"]))
                self.senders[body["externalURL"]] += 1
        self.answer()

    @classmethod
    def looked(cls, market):
        """When both peers looked at the group of a market last. What the second sends comes after its wait."""
        with cls.lock:
            *_, at, _, sender = cls.seen[market][-1]
            first = cls.senders.most_common(1)[0][0]
        return at if sender == first else at - PEER_TIMEOUT

    @classmethod
    def story(cls, market):
        """The newest notifications: when, from whom, what."""
        with cls.lock:
            return [f"{time.strftime('%H:%M:%S', time.gmtime(at))}.{at % 1 * 10:.0f} {sender[-5:]} {status}"
                    for status, _, at, _, sender in cls.seen[market][-6:]]

    @classmethod
    def statuses(cls, market):
        with cls.lock:
            return [status for status, *_ in cls.seen[market]]


class Alertmanager(Process):
    def __init__(self, stage, name, port, gossip, peer, sink):
        self.url = f"http://127.0.0.1:{port}"
        folder = stage.folder / name
        super().__init__(stage, name, [
            "prometheus-alertmanager", f"--config.file={folder}/am.json", f"--storage.path={folder}/data",
            f"--web.listen-address=127.0.0.1:{port}", f"--cluster.listen-address=127.0.0.1:{gossip}",
            f"--cluster.peer=127.0.0.1:{peer}", f"--cluster.peer-timeout={PEER_TIMEOUT * 1000:.0f}ms",
            "--cluster.settle-timeout=3s", f"--cluster.gossip-interval={GOSSIP}", "--cluster.pushpull-interval=1s",
            "--cluster.reconnect-interval=1s"])
        (self.folder / "am.json").write_text(json.dumps({
            "route": {"receiver": "sink", "group_by": ["alertname", "market"], "group_wait": "1s",
                      "group_interval": f"{GROUP_INTERVAL}s", "repeat_interval": "24h"},
            "receivers": [{"name": "sink", "webhook_configs": [
                {"url": f"http://127.0.0.1:{sink}/", "send_resolved": True}]}]}))

    def ready(self):
        """Waits for its peer, too."""
        def joined():
            status, body = fetch(f"{self.url}/api/v2/status", seconds=2)
            cluster = json.loads(body)["cluster"] if status == 200 else {}
            return cluster.get("status") == "ready" and len(cluster["peers"]) == 2
        wait(f"{self.name} has its peer", joined)


class Daemon(Process):
    def __init__(self, stage, name, provider, urls):
        binary = stage.options.binary.resolve()
        folder = stage.folder / name
        super().__init__(stage, name, [binary, "run", "--config", folder / "pricewatch.yaml"])
        (folder / "pricewatch.yaml").write_text(json.dumps({
            "watch": {"markets": [*MARKETS, MISSED]},
            "feeds": [{"provider": "json", "url": f"http://127.0.0.1:{provider}/?ids={{ids}}", "currency": "usd",
                       "fields": {"price": "/price", "quoted_at": "/time"}, "time_format": "epoch_ms"}],
            # With this timeout a poll cannot be later than the end that Alertmanager gets: 4 s.
            "poll": {"every": "1s", "timeout": "1s", "confirm_moves_over": None},
            "history": {"database": str(folder / "history.db"), "backfill": None},
            "log": {"file": str(folder / "log")}, "status_file": str(folder / "status.json"),
            "builtin_alerts": False,
            "alerts": [{"name": "high", "markets": "all", "above": 100, "severity": "critical", "note": "a test"}],
            "notify": {"cluster": {"alertmanager": urls, "shared": True, "labels": {"team": "treasury"}}}}))

    def firing(self):
        """The markets of the alerts that fire as the status file has them; nil: there is none of this process."""
        try:
            status = json.loads((self.folder / "status.json").read_text())
        except (OSError, ValueError):
            return None
        if status.get("pid") != self.child.pid or not status.get("last_poll"):
            return None
        return {event["market"] for event in status["alerts"]["firing"]}


class Killer:
    """Kills a random daemon at a random moment, and starts it again a moment later."""

    def __init__(self, stage, daemons):
        self.stage, self.daemons, self.kills = stage, daemons, 0

    def __call__(self, seconds):
        """Takes up to this long."""
        dice = self.stage.dice
        daemon = dice.choice(self.daemons)
        time.sleep(dice.uniform(0, seconds / 2))
        daemon.kill()
        self.kills += 1
        time.sleep(dice.uniform(0, seconds / 2))
        daemon.start()


def cycle(stage, killer, expected, count):
    """Some markets rise above the level and fall below it again."""
    markets = stage.dice.sample(MARKETS, count)
    looked = 0
    for status, price in (("firing", HIGH), ("resolved", LOW)):
        if looked:
            # After the second peer has looked, so that the end lies between two looks.
            looks = -(-(time.time() + RUNS_OUT - looked) // GROUP_INTERVAL)
            time.sleep(max(0, looked + (looks + 0.5) * GROUP_INTERVAL - RUNS_OUT - time.time()))
        Provider.prices.update(dict.fromkeys(markets, price))
        for market in markets:
            expected[market].append(status)
        killer(3)
        for market in markets:
            wait(f"{market} {status}, notification {len(expected[market])}",
                 lambda market=market: len(Sink.statuses(market)) >= len(expected[market]), 60)
        looked = Sink.looked(markets[0])
    time.sleep(PEER_TIMEOUT + 1)


def miss(stage, daemons, alertmanagers):
    """An alert fires and ends while no Alertmanager runs. Returns when its notification arrived."""
    for daemon in daemons:
        wait(f"{daemon.name} polls", lambda daemon=daemon: daemon.firing() is not None)
    for price, firing in ((HIGH, {MISSED}), (LOW, set())):
        Provider.prices[MISSED] = price
        for daemon in daemons:
            wait(f"{daemon.name}: {firing} fire", lambda daemon=daemon: daemon.firing() == firing)
        time.sleep(3)
    for alertmanager in alertmanagers:
        alertmanager.start()
    wait("a notification of the alert that was missed", lambda: Sink.statuses(MISSED), 60)
    summary = Sink.seen[MISSED][0][1]
    stage.say(f"missed: {summary}")
    stage.demand("while no Alertmanager could be reached" in summary, f"the summary does not say so: {summary}")
    return time.monotonic()


def main():
    with Stage(options(__doc__, cycles=200)) as stage:
        sink, provider = serve(Sink), serve(Provider)
        ports = [free_port() for _ in range(4)]
        alertmanagers = [
            Alertmanager(stage, "am-1", ports[0], ports[2], ports[3], sink),
            Alertmanager(stage, "am-2", ports[1], ports[3], ports[2], sink)]
        daemons = [
            Daemon(stage, name, provider, [alertmanager.url for alertmanager in alertmanagers]).start()
            for name in ("box-1", "box-2")]
        missed_at = miss(stage, daemons, alertmanagers)
        for alertmanager in alertmanagers:
            alertmanager.ready()
        killer, expected, done = Killer(stage, daemons), collections.defaultdict(list), 0
        while done < stage.options.cycles:
            count = min(4, stage.options.cycles - done)
            cycle(stage, killer, expected, count)
            done += count
            wrong = [market for market in MARKETS if Sink.statuses(market) != expected[market]]
            if wrong:
                stage.fault(f"after {done} cycles, {killer.kills} kills: " + "; ".join(
                    f"{market} expected {expected[market][-4:]}, found {Sink.story(market)}" for market in wrong))
                break
            if done % 40 == 0:
                stage.say(f"{done} cycles, {killer.kills} kills")
        # It fires for six minutes, longer than any group waits by default.
        if stage.options.cycles >= 50:
            wait("the resolve of the alert that was missed", lambda: len(Sink.statuses(MISSED)) > 1,
                 max(1, 400 - (time.monotonic() - missed_at)))
        found = Sink.statuses(MISSED)
        stage.demand(found in (["firing"], ["firing", "resolved"]), f"the missed alert was notified as {found}")
        counts = collections.Counter(status for market in MARKETS for status in Sink.statuses(market))
        stage.say(f"{done} fire-and-resolve cycles, {killer.kills} kills: notified {dict(counts)}, missed {found}, "
                  f"by {sorted(Sink.senders.values())}")
        labels = Sink.seen[MARKETS[0]][0][3] if Sink.seen[MARKETS[0]] else {}
        stage.say(f"labels {labels}")


main()
