#!/usr/bin/env python3
"""Kills the daemon and VictoriaMetrics with SIGKILL at random moments, while prices change every second.

Afterwards every confirmed sample must be in VictoriaMetrics, none twice, none wrong within 12 digits: `export verify`
must say so, and a comparison of its own. What was acknowledged and lost may need `export verify --repair`.

    Tests/Engines/kill.py [--binary B] [--seed N] [--kills 300] [--markets 50]
"""
import time

from daemon import Daemon, compare, demand_same
from engines import VictoriaMetrics
from provider import Prices, Provider, names
from stage import Stage, options, wait


def disturb(stage, daemon, engine):
    """Half of the kills hit the daemon, half the engine, in random order; some victims stay away for a while."""
    victims = [daemon, engine] * (stage.options.kills // 2)
    stage.dice.shuffle(victims)
    for victim in victims:
        time.sleep(stage.dice.uniform(0.1, 1.8))
        victim.kill()
        if stage.dice.random() < 0.2:
            time.sleep(stage.dice.uniform(0.1, 2))
        victim.start()
    engine.ready()
    daemon.ready()


def judge(stage, daemon, engine):
    """Returns how many samples there are, and how many the rewind did not bring back."""
    # `export verify` leaves out the last minute.
    last = time.time()
    wait("a minute passes", lambda: time.time() > last + 61, 90)
    recorded = daemon.stop_drained()
    view = daemon.ask("SELECT count(*) FROM prices WHERE confirmed")[0][0]
    tables = daemon.ask("SELECT count(*) FROM sample WHERE confirmed")[0][0]
    stage.demand(view == tables, f"the view prices has {view} confirmed rows, the table {tables}")
    missing = compare(recorded, engine.prices())[0]
    code, words = daemon.verify("--since", "7d")
    stage.say(f"{len(missing)} missing at first; export verify ended with {code}: {words[-500:]}")
    stage.demand(code == (1 if missing else 0), f"export verify ended with {code}, and {len(missing)} are missing")
    if missing:
        minutes = sorted({at // 1000 for _, at in missing})
        stage.say(f"they were quoted in {len(minutes)} different seconds, {minutes[:10]}")
        code, words = daemon.verify("--since", "7d", "--repair")
        stage.demand(code == 0, f"export verify --repair ended with {code}: {words[-500:]}")
        code, words = daemon.verify("--since", "7d")
        stage.demand(code == 0, f"export verify after --repair ended with {code}: {words[-500:]}")
    count = demand_same(stage, recorded, engine.prices(), "VictoriaMetrics beside SQLite")
    return count, len(missing)


def demand_alerts(stage, daemon, engine):
    """The last that was sent of an alert is its state."""
    firing = {(rule, market) for rule, market in daemon.ask("SELECT rule, market FROM alert WHERE state = 'firing'")}
    for labels, samples in engine.series("pricewatch_alert_firing").items():
        alert = dict(labels)["rule"], dict(labels)["market"]
        last = max(samples)[1]
        stage.demand(last == (alert in firing), f"{alert} is {last} at last, and fires: {alert in firing}")


def main():
    sizes = options(__doc__, kills=300, markets=50)
    with Stage(sizes) as stage:
        provider = Provider(names(sizes.markets, hostile=True), Prices(sizes.seed, crossing=8))
        engine = VictoriaMetrics(stage).start().ready()
        daemon = Daemon(stage, provider, [{"name": "cluster", "influx": f"{engine.url}/write"}], alerts=[
            {"name": "above", "market": provider.markets[8], "above": 100}])
        daemon.start().ready()
        disturb(stage, daemon, engine)
        count, repaired = judge(stage, daemon, engine)
        demand_alerts(stage, daemon, engine)
        unconfirmed = sum(map(len, daemon.recorded(confirmed=0).values()))
        stage.demand(unconfirmed > 0, "no price waited for its confirmation: the prices are too tame")
        stage.say(f"{sizes.kills} kills, {count} confirmed samples ({unconfirmed} unconfirmed ones stay at home), "
                  f"{repaired} repaired")


main()
