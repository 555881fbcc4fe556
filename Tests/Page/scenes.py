"""The scenes: what a person may find behind the page."""
import contextlib
import os
import shutil
import signal
import sqlite3

from stage import Stage, wait_for

NAMED = ["bitcoin", "ethereum", "tether", "ripple", "solana", "dogecoin", "cardano", "pepe"]
WATCHED = "watch: {markets: [" + ", ".join(NAMED) + "]}\npoll: {every: 2s, stale_after: 5s}\n"
RULES = """alerts:
  - {name: btc-below-70k, market: bitcoin, below: 70000, clear: 71000, severity: critical, note: sell the boat}
  - {name: btc-above-80k, market: bitcoin, above: 80000}
  - {name: usdt-peg, market: tether, outside: [0.99, 1.01], for: 10m}
  - {name: fast-drop, markets: all, falls: 5%, within: 1h}
"""
HOSTILE = ['<img src=x onerror=alert(1)>', '"><script>alert(1)</script>', "\u202egnp.exe \u2066evil",
           "المال " * 6, "e\u0301\u0302\u0303<b>\u0300</b>&amp;", "A" * 120,
           "\U0001f469\u200d\U0001f680 Moon &lt;", " \u3000 "]


def past(binary, folder):
    """A history of a month, of bitcoin a year, for scenes that begin with one."""
    stage = Stage(binary, folder, WATCHED)
    stage.run("run", "--once", codes=(0, 1))
    stage.run("backfill", "--since", "30d")
    stage.run("backfill", "--since", "365d", "bitcoin")
    stage.end()
    return os.path.join(folder, "history.db")


def scene(setting, rewrite=None, has_past=True, has_standby=False):
    """Makes a function that prepares the daemon into one that prepares the whole scene."""
    def make(prepare):
        def begin(binary, folder, past):
            stage = Stage(binary, folder, setting, rewrite, has_standby)
            if has_past:
                shutil.copy(past, folder)
            try:
                prepare(stage)
            except BaseException:
                stage.end()
                raise
            return stage
        begin.__name__ = prepare.__name__
        SCENES.append(begin)
        return begin
    return make


SCENES = []


@scene(WATCHED + RULES)
def fine(stage):
    stage.watch()


def pumped(market):
    if market["id"] in ("bitcoin", "pepe"):
        market["current_price"] = str(pumped.price if market["id"] == "bitcoin" else "0.0000031")


@scene(WATCHED.replace("5s}", "5s, confirm_moves_over: null}") + RULES, pumped)
def firing(stage):
    # It fires and resolves three times, four hours apart, and now it fires again.
    for _ in range(3):
        for pumped.price in (69_000, 78_000):
            stage.run("run", "--once", codes=(0, 1))
    with contextlib.closing(sqlite3.connect(f"{stage.folder}/history.db")) as database, database:
        newest = database.execute("SELECT max(id) FROM event").fetchone()[0]
        database.execute("UPDATE event SET at = at - (? + 1 - id) * 2 * 3600000", (newest,))
    pumped.price = 69_000
    stage.run("silence", "usdt-peg", "2h")
    stage.watch()
    wait_for(lambda: stage.fires("btc-below-70k"), "the alert")


@scene(WATCHED + RULES, has_standby=True)
def degraded(stage):
    stage.watch()
    stage.provider.is_down = True

    def has_failed_over():
        status = stage.status()
        feeds = {feed["name"]: feed["state"] for feed in status["feeds"]}
        return status["state"] == "degraded" and feeds["standby"] == "serving"

    wait_for(has_failed_over, "the standby")


@scene(WATCHED + RULES)
def outage(stage):
    stage.watch()
    stage.provider.is_down = True
    wait_for(lambda: any(m["state"] != "fresh" for m in stage.status()["markets"]), "stale prices")


@scene(WATCHED + RULES)
def killed(stage):
    stage.watch()
    stage.daemon.end(by=signal.SIGKILL)


@scene(WATCHED, has_past=False)
def never(stage):
    pass


def tiny(market):
    market["current_price"] = "1e-9" if market["id"] == "pepe" else "1.0000000001e-9"


@scene("watch: {markets: [pepe, dogecoin]}\npoll: {every: 2s}\n"
       "alerts: [{name: dust, market: pepe, above: 0.00000000099}]\n", tiny, has_past=False)
def dust(stage):
    stage.watch()
    wait_for(lambda: stage.fires("dust"), "the alert")


@scene("watch: {top: 250}\npoll: {every: 5s}\n")
def many(stage):
    stage.watch()


def renamed(market):
    if market["id"] in NAMED:
        market["name"] = HOSTILE[NAMED.index(market["id"])]
        market["symbol"] = HOSTILE[NAMED.index(market["id"])][:20]


@scene(WATCHED + """alerts:
  - name: "<b>high</b> & \\"quoted\\" المال"
    markets: all
    above: 0.5
    note: "<script>alert(1)</script> sell the boat, and then tell everybody who has ever asked about it"
""", renamed)
def hostile(stage):
    stage.watch()
    wait_for(lambda: stage.fires('<b>high</b> & "quoted" المال'), "the alert")
