#!/usr/bin/env python3
"""Asks every query of the Grafana dashboard of a VictoriaMetrics that a daemon filled, as Grafana would: variables,
panels and annotations. Each must answer with data where there is some, and with nothing where there is none.

    Tests/Engines/dashboard.py [--binary B] [--seed N] [--seconds 15]
"""
import json
import pathlib
import re
import sqlite3
import time

from daemon import Daemon, exported
from engines import VictoriaMetrics
from provider import Prices, Provider, names
from stage import Stage, fetch, options, wait

DASHBOARD = pathlib.Path(__file__).parents[2] / "etc/grafana/pricewatch.json"
SOURCE = {"type": "prometheus", "uid": "${datasource}"}


def add_yesterday(daemon, provider):
    """A backfilled price of each market every five minutes of the last 25 hours."""
    database = sqlite3.connect(daemon.database)
    newest = database.execute("SELECT max(id) FROM (SELECT id FROM poll UNION SELECT id FROM turn)").fetchone()[0]
    series = [number for number, in database.execute("SELECT id FROM series")]
    first = int(time.time()) - 25 * 3600
    with database:
        for place, at in enumerate(range(first * 1000, first * 1000 + 25 * 3_600_000, 300_000)):
            poll = newest + 1 + place
            database.execute("INSERT INTO poll (id, at, fetched_at, feed, outcome, samples, backfilled) "
                             "VALUES (?, ?, ?, 1, 'ok', ?, 1)", (poll, at, at, len(series)))
            database.executemany("INSERT INTO sample VALUES (?, ?, -2, 0, 1)", (
                ((poll << 20) + one, 10_000 + place) for one in series))
    database.close()


def read_metrics_file(daemon, engine):
    """What node_exporter and a scrape would do, with the labels that a scrape adds."""
    body = (daemon.folder / "metrics.prom").read_bytes()
    fetch(f"{engine.url}/api/v1/import/prometheus", body=body,
          extra_label=["instance=host-1:9100", "job=node"], timestamp=int(time.time() * 1000))


class Grafana:
    """The part of Grafana that turns a dashboard into requests."""

    def __init__(self, dashboard, engine):
        self.dashboard = dashboard
        self.engine = engine
        self.values = {"__rate_interval": "15s", "__interval": "15s", "__range": "1h"}

    def filled(self, text):
        return re.sub(r"\$\{?(\w+)\}?", lambda match: self.values[match[1]], text)

    def variables(self):
        """The values of each variable; those with several become an alternative, as `=~` wants it."""
        for variable in self.dashboard["templating"]["list"]:
            if variable["type"] == "query":
                selector, label = re.fullmatch(
                    r"label_values\((.*), (\w+)\)", self.filled(variable["query"]["query"])).groups()
                found = sorted({series[label] for series in self.engine.ask(
                    "/api/v1/series", **{"match[]": selector}, start=int(time.time()) - 3600) if label in series})
                # Escaped for the regular expression, then for the string that it is in.
                alternatives = (re.sub(r"([][\\^$.|?*+(){}])", r"\\\1", value) for value in found)
                self.values[variable["name"]] = "|".join(alternatives).replace("\\", "\\\\").replace('"', '\\"')
                yield variable["name"], found

    def ask(self, expression, instant, seconds=600):
        now = time.time()
        if instant:
            return self.engine.ask("/api/v1/query", query=self.filled(expression), time=now)["result"]
        return self.engine.ask("/api/v1/query_range", query=self.filled(expression), start=now - seconds, end=now,
                               step=5)["result"]


def look_at_structure(stage, dashboard):
    """What every Grafana that provisions the file relies on."""
    panels = [panel for panel in dashboard["panels"] if panel["type"] != "row"]
    stage.demand(dashboard["id"] is None and dashboard["uid"] == "pricewatch", "id is null and uid is stable")
    stage.demand(len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"]), "an id is there twice")
    taken = set()
    for panel in dashboard["panels"]:
        place = panel["gridPos"]
        cells = {(x, y) for x in range(place["x"], place["x"] + place["w"])
                 for y in range(place["y"], place["y"] + place["h"])}
        stage.demand(not cells & taken and place["x"] + place["w"] <= 24, f"{panel['title']} covers another panel")
        taken |= cells
    for panel in panels:
        sources = [panel["datasource"]] + [target["datasource"] for target in panel["targets"]]
        stage.demand(all(source == SOURCE for source in sources), f"{panel['title']} has a data source of its own")
        stage.demand(panel["fieldConfig"]["defaults"]["noValue"] == "no data" and panel["description"],
                     f"{panel['title']} has no description, or no word for unknown")
        for target in panel["targets"]:
            stage.demand(not re.search(r"\bor\b|vector\(|absent", target["expr"]),
                         f"{panel['title']} makes a number of what is unknown: {target['expr']}")
    return panels


def look_at_emptiness(stage, grafana, panels):
    """Without data, every panel is empty: no zero stands for what is unknown."""
    grafana.values |= {"currency": "usd", "market": ".*"}
    for panel in panels:
        for target in panel["targets"]:
            stage.demand(not grafana.ask(target["expr"], target["instant"]), f"{panel['title']} shows data without any")


def ask_everything(stage, grafana, panels):
    """Returns how many queries answered."""
    count = 0
    for panel in panels:
        for target in panel["targets"]:
            found = grafana.ask(target["expr"], target["instant"])
            stage.demand(found, f"{panel['title']}: {grafana.filled(target['expr'])} has no data")
            shown = set(re.findall(r"{{(\w+)}}", target["legendFormat"]))
            for series in found[:1]:
                stage.demand(shown <= set(series["metric"]),
                             f"{panel['title']}: {shown} in the legend, {set(series['metric'])} in the answer")
            count += 1
    for annotation in grafana.dashboard["annotations"]["list"]:
        found = grafana.ask(annotation["expr"], False)
        stage.demand(found, f"annotations {annotation['name']}: no data")
        for series in found:
            stage.demand({"rule", "market"} <= set(series["metric"]), f"an annotation has {series['metric']}")
            stage.demand({value for _, value in series["values"]} == {"1"}, f"an annotation is {series['values'][:3]}")
        count += 1
    return count


def main():
    sizes = options(__doc__, seconds=15.0)
    with Stage(sizes) as stage:
        dashboard = json.loads(DASHBOARD.read_text())
        panels = look_at_structure(stage, dashboard)
        engine = VictoriaMetrics(stage).start().ready()
        grafana = Grafana(dashboard, engine)
        look_at_emptiness(stage, grafana, panels)
        # A backslash has its own name in the metrics file, see `exported`.
        markets = [market for market in names(21, hostile=True) if market == exported(market)]
        provider = Provider(markets, Prices(sizes.seed, crossing=8), change=1.25)
        daemon = Daemon(stage, provider, [{"name": "cluster", "influx": f"{engine.url}/write"}],
                        feeds=[provider.feed(quota_month=10_000_000)],
                        alerts=[{"name": "above", "market": provider.markets[8], "above": 100},
                                {"name": "always", "market": provider.markets[0], "above": 0.000000001}])
        daemon.start().ready()
        daemon.stop()
        add_yesterday(daemon, provider)
        daemon.start().ready()
        until = time.time() + sizes.seconds
        while time.time() < until:
            read_metrics_file(daemon, engine)
            time.sleep(1)
        wait("the export is nearly up to date", lambda: (daemon.metric("export_pending_samples") or 0) < 100)
        read_metrics_file(daemon, engine)
        engine.flush()
        for name, found in grafana.variables():
            wanted = {"currency": ["usd"], "market": sorted(map(exported, provider.markets))}[name]
            stage.demand(found == wanted, f"the variable {name} is {found}, not {wanted}")
        count = ask_everything(stage, grafana, panels)
        prices = grafana.ask(panels[0]["targets"][0]["expr"], True)
        stage.demand(len(prices) == 20, f"the first panel has {len(prices)} of 20 markets")
        stage.say(f"{count} queries of {len(panels)} panels, variables and annotations answer with data")


main()
