"""Debian's time-series engines as they are, each with its data in the stage's folder."""
import json
import time

from stage import Process, fetch, free_port, wait


class VictoriaMetrics(Process):
    """With the flags that docs/scale-out.md asks for, and answers that hold what was written a moment ago."""

    def __init__(self, stage, name="victoria-metrics", deduplicates=True):
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        super().__init__(stage, name, [
            "victoria-metrics", f"-storageDataPath={stage.folder / name / 'data'}",
            f"-httpListenAddr=127.0.0.1:{self.port}", "-retentionPeriod=100y", "-search.latencyOffset=0s",
            "-search.disableCache", "-search.maxUniqueTimeseries=1000000", "-memory.allowedBytes=512MB",
            "-loggerLevel=WARN", *(["-dedup.minScrapeInterval=1ms"] if deduplicates else [])])

    @property
    def answers(self):
        return fetch(f"{self.url}/health", seconds=5)[0] == 200

    def ready(self):
        wait(f"{self.name} answers", lambda: self.answers)
        return self

    def ask(self, path, **parameters):
        status, body = fetch(f"{self.url}{path}", **parameters)
        if status != 200:
            raise ValueError(f"{path}: {status} {body[:300].decode(errors='replace')}")
        return json.loads(body)["data"]

    def flush(self):
        """Makes everything that was taken visible to queries."""
        fetch(f"{self.url}/internal/force_flush")

    def series(self, selector="pricewatch_price"):
        """The raw samples: labels (pairs, sorted) and times in ms with values, one list a series."""
        self.flush()
        status, body = fetch(f"{self.url}/api/v1/export", seconds=600, start=1, end=int(time.time()) + 86_400,
                             **{"match[]": selector})
        if status != 200:
            raise ValueError(f"export of {selector}: {status}")
        found = {}
        for line in body.splitlines():
            row = json.loads(line)
            labels = tuple(sorted((name, value) for name, value in row["metric"].items() if name != "__name__"))
            found.setdefault(labels, []).extend(zip(row["timestamps"], row["values"]))
        return found

    def prices(self):
        """By market and currency: a list of (time in ms, price)."""
        return {(dict(labels)["market"], dict(labels)["currency"]): samples
                for labels, samples in self.series().items()}

    def counter(self, name, **labels):
        """A metric of the engine itself, summed over the series that have these labels."""
        _, body = fetch(f"{self.url}/metrics")
        total = 0
        for line in body.decode().splitlines():
            if line.startswith(name + "{") and all(f'{key}="{value}"' in line for key, value in labels.items()):
                total += float(line.rpartition(" ")[2])
        return total

    def rows_taken(self):
        return self.counter("vm_rows_inserted_total", type="influx")

    def requests_taken(self):
        """Requests in line protocol, /write or /influx/write, answered or not."""
        return self.counter("vm_http_requests_total", protocol="influx") or self.counter(
            "vm_http_requests_total", path="/write") + self.counter("vm_http_requests_total", path="/influx/write")


class InfluxDB(Process):
    """Version 1.x without authentication."""

    def __init__(self, stage, name="influxdb"):
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        configuration = stage.folder / f"{name}.conf"
        super().__init__(stage, name, ["influxd", "-config", configuration])
        configuration.write_text(
            f'reporting-enabled = false\nbind-address = "127.0.0.1:{free_port()}"\n'
            f'[meta]\n  dir = "{self.folder}/meta"\n[data]\n  dir = "{self.folder}/data"\n'
            f'  wal-dir = "{self.folder}/wal"\n[http]\n  bind-address = "127.0.0.1:{self.port}"\n  log-enabled = false\n'
            '[monitor]\n  store-enabled = false\n[logging]\n  level = "warn"\n')

    @property
    def answers(self):
        return fetch(f"{self.url}/ping", seconds=5)[0] == 204

    def ready(self):
        wait(f"{self.name} answers", lambda: self.answers)
        return self

    def create(self, database):
        fetch(f"{self.url}/query", body=b"", q=f'CREATE DATABASE "{database}"')

    def write(self, database, lines):
        """The status with which the lines, of times in ms, were taken."""
        return fetch(f"{self.url}/write", body=lines.encode(), db=database, precision="ms")

    def ask(self, database, question):
        """The series of the answer."""
        status, body = fetch(f"{self.url}/query", seconds=300, db=database, q=question, epoch="ms")
        result = json.loads(body)["results"][0] if status == 200 else {"error": f"{status} {body!r}"}
        if "error" in result:
            raise ValueError(f"{question}: {result['error']}")
        return result.get("series", [])

    def prices(self, database):
        """By market and currency: a list of (time in ms, price)."""
        return {(series["tags"]["market"], series["tags"]["currency"]): [tuple(row) for row in series["values"]]
                for series in self.ask(database, "SELECT price FROM pricewatch GROUP BY market, currency")}
