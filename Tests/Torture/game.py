"""What a game against the model of `Tests/Independent/rules.py` consists of: a provider of random prices, an installation
with random rules, and the comparison of what it says with the model."""
import email.utils
import json
import pathlib
import sys
from decimal import Decimal

import stage

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Independent"))

from messages import Channel, Digest  # noqa: E402
from quota import Quota  # noqa: E402
from random_rules import START, Path, condition, condition_text, make_rules, paced, text_of  # noqa: E402
from rules import HOLDS, PACE, SCALES, Model, iso, plain  # noqa: E402

ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe"]
QUIET = [["23:00-07:00"], ["mon-fri 09:00-17:00", "sat-sun 00:00-10:00"], ["fri 22:00-08:00", "12:10-12:30", "12:25-13:05"],
         ["00:00-03:00", "10:30-10:40", "14:00-14:20"]]
DIGESTS = ["07:00", "02:30", "12:00", "19:15"]
# Of the month in which the games begin, in seconds.
LEFT = 1_793_491_200 - START


class Provider(stage.Quiet):
    """The provider, and what receives the messages."""
    now, answer, requests, messages = START, None, 0, []

    def do_GET(self):
        Provider.requests += 1
        self.reply(b"{}" if self.answer is None else self.rows().encode(), 500 if self.answer is None else 200)

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        Provider.messages.append((self.path[1:], body))
        self.reply()

    def rows(self):
        rows = []
        for number, (name, (kind, price, quoted)) in enumerate(self.answer.items()):
            if kind == "missing":
                continue
            moment = "null" if quoted is None else f'"{iso(quoted)}"'
            text = plain(price) if kind == "price" else ["0", "-1", '"n/a"', "7"][number] if kind == "bad" else "null"
            moment = '"yesterday"' if text == "7" else moment
            rows.append(f'{{"id":"{name}","symbol":"","name":"","current_price":{text},"last_updated":{moment}}}')
        return "[" + ",".join(rows) + "]"

    def date_time_string(self, timestamp=None):
        return email.utils.formatdate(Provider.now, usegmt=True)


class Game:
    """An installation and the model beside it."""
    reports_gaps = True

    def __init__(self, part, name, url, every):
        PACE.configure(every)
        self.part, self.url, self.folder, self.every = part, url, part.folder / name, every
        self.folder.mkdir()
        self.quota = Quota(None, every)
        self.model = Model(make_rules(part.dice))
        self.paths = {name: Path(part.dice, name, self.model.rules) for name in SCALES}
        self.now, self.broken, self.steps, self.read = START, 0, 0, 0
        self.trusts = "20%"
        self.zone, self.quiet = part.dice.choice(ZONES), part.dice.choice(QUIET)
        self.digest = Digest(self.zone, part.dice.choice(DIGESTS), START)
        self.channels = {"all": Channel(self.zone), "calm": Channel(self.zone, self.quiet, resolves=False)}

    def configure(self):
        lines = "\n".join(text_of(rule) for rule in self.model.rules)
        holds = ", ".join(f"{name}: {plain(amount)}" for name, amount in self.model.markets["sum"].holds.items())
        quota = f", quota_month: {self.quota.requests}" if self.quota.requests else ""
        (self.folder / "pricewatch.yaml").write_text(f"""watch: {{markets: [{', '.join(SCALES)}, {{id: sum, holds: {{{holds}}}}}]}}
timezone: {self.zone}
feeds: [{{provider: coingecko, url: "{self.url}"{quota}}}]
poll: {{every: {self.every}s, retry: {{attempts: 1}}, confirm_moves_over: {self.trusts}}}
history: {{database: {self.folder}/history.db, backfill: null}}
log: {{file: {self.folder}/pricewatch.log, format: json}}
status_file: {self.folder}/status.json
builtin_alerts: false
notify:
  all: {{webhook: "{self.url}/all"}}
  calm: {{webhook: "{self.url}/calm", quiet: {json.dumps(self.quiet)}, send_resolved: false}}
digest: {{at: "{self.digest.clock}", notify: [all]}}
alerts:
{lines}
""")

    def next_answer(self):
        """Sometimes a poll fails, and sometimes several one after the other."""
        dice = self.part.dice
        first = self.steps == 1
        self.broken = self.broken - 1 if self.broken else 0 if first or dice.random() > 0.04 else dice.choice([1, 1, 3, 6])
        return None if self.broken else {name: path.next(self.now) for name, path in self.paths.items()}

    def edit_amounts(self):
        portfolio = self.model.markets["sum"]
        name, before = self.part.dice.choice(list(portfolio.holds)), dict(portfolio.holds)
        portfolio.holds[name] = HOLDS[name] * Decimal(self.part.dice.choice(["0.9", "1", "1.1"]))
        if portfolio.holds != before:
            portfolio.begin()
            self.part.count("edits of amounts")

    def edit_rule(self):
        rule = self.part.dice.choice(self.model.rules)
        if condition_text(rule) != condition_text(condition(self.part.dice, rule)):
            self.model.edited.add(rule["name"])
            self.part.count("edits of rules")

    def compare_quota(self, status):
        """After the poll, with its request counted."""
        interval = self.quota.interval(self.now)
        shown = (status["feeds"][0]["requests_month"], status["feeds"][0]["quota_month"], status["interval_s"],
                 "quota" in [reason["code"] for reason in status["reasons"]])
        wanted = (self.quota.used, self.quota.requests, interval, interval > self.every)
        self.part.count("polls at a lengthened interval", interval > self.every)
        if shown != wanted:
            self.differ(f"requests, quota, interval and whether it is lengthened: {shown}, expected {wanted}")

    def silence(self):
        """Now and then, for a length that ends between two steps."""
        dice, model = self.part.dice, self.model
        if dice.random() > 0.04:
            return
        rule = dice.choice(model.rules) if dice.random() < 0.7 else None
        words = [rule["name"] if rule else "--all"]
        if dice.random() < 0.3:
            arguments = ["unsilence", *words]
            model.silences.end_now(rule and rule["name"], self.now)
        else:
            market = dice.choice(rule["markets"] if rule else list(model.markets)) if dice.random() < 0.4 else None
            seconds = paced(dice.choice([60, 300, 1200, 5000])) + 5
            arguments = ["silence", *words, f"{seconds}s", *(["--market", market] if market else [])]
            model.silences.ends[rule and rule["name"], market] = self.now + seconds
        ended = self.ask(*arguments)
        self.part.count(arguments[0])
        if ended.returncode != 0:
            self.differ(f"{arguments} ended with {ended.returncode}: {ended.stderr}")

    def compare_messages(self, expected, silences):
        """What each channel received in this poll. What was held comes in one message, a rule's events do, too."""
        severity = {rule["name"]: rule.get("severity", "warning") for rule in self.model.rules}.get
        digests = 0
        for name, channel in self.channels.items():
            received = []
            for body in (body for to, body in Provider.messages if to == name):
                events = {(event["rule"], event["market"], event["event"]) for event in body["events"]}
                kind = body["note"]["kind"] if "note" in body else None
                if kind == "digest" and name == "all":
                    digests += 1
                elif kind in (None, "gap"):
                    received.append(events | ({Channel.GAP} if kind else set()))
                else:
                    self.differ(f"{name} received {body['note']}")
            held = len(channel.held)
            gap = self.reports_gaps and self.model.unwatched > 600
            wanted = channel.step(self.now, [event[:3] for event in expected], severity, silences, gap)
            self.part.count(f"messages to {name}", len(wanted))
            self.part.count("events held by quiet hours", len(channel.held) - held if len(channel.held) > held else 0)
            if sorted(map(sorted, received)) != sorted(map(sorted, wanted)):
                self.differ(f"{name} received {received}, expected {wanted}")
        due = self.digest.step(self.now)
        self.part.count("digests", due)
        if digests != due:
            self.differ(f"{digests} digests, {due} expected ({self.digest.clock} {self.zone})")

    def differ(self, what):
        self.part.found(f"{self.folder.name} step {self.steps} at {iso(self.now)}, every {PACE.every} s: {what}")

    def compare(self, expected):
        with open(self.folder / "pricewatch.log") as file:
            file.seek(self.read)
            lines = [json.loads(line) for line in file]
            self.read = file.tell()
        said = [logged(line) for line in lines if line["event"].startswith("alert.")]
        self.compare_events(expected, said)
        status = json.load(open(self.folder / "status.json"))
        for state in ("firing", "pending"):
            shown = sorted((event["rule"], event["market"]) for event in status["alerts"][state])
            if shown != self.model.in_state(state):
                self.differ(f"{state}: {sorted(set(shown) ^ set(self.model.in_state(state)))}")
        for row in status["markets"]:
            self.compare_market(row)
        self.compare_quota(status)
        self.compare_summary(status["summary_24h"])

    def compare_events(self, expected, said):
        expected, said = alike(expected), alike(said)
        for event in expected:
            self.part.count(f"{event[2]}: {event[3]}")
        missed, invented = set(expected) - set(said), set(said) - set(expected)
        if missed or invented or len(expected) != len(said):
            first = lambda events: sorted(events, key=lambda event: event[7])[:3]
            self.differ(f"{len(missed)} events expected and not said, {len(invented)} said and not expected, "
                        f"{len(expected)} to {len(said)}; the first, expected: {first(missed)}; said: {first(invented)}")

    def compare_market(self, row):
        market = self.model.markets[row["market"]]
        state = market.state if market.state != "known" else "fresh" if market.fresh(self.now) else "stale"
        wanted = (state, market.reason, market.price() and plain(market.price()))
        if (shown := (row["state"], row["reason"], row["price"])) != wanted:
            self.differ(f"{row['market']}: {shown}, expected {wanted}")
        change, shown = market.change(self.now), row["change_24h_percent"]
        if change != "either" and shown != (None if change is None else change / 100):
            self.differ(f"{row['market']}: change {shown}, expected {change}")
        self.part.count("changes over 24 h", 1 if change is not None else 0)

    def compare_summary(self, shown):
        changes = [market.change(self.now) for market in self.model.markets.values()]
        if "either" in changes:
            return
        known = [change for change in changes if change is not None]
        wanted = {"up": sum(change > 0 for change in known), "down": sum(change < 0 for change in known),
                  "flat": sum(change == 0 for change in known), "unknown": changes.count(None)}
        if any(shown[key] != number for key, number in wanted.items()):
            self.differ(f"summary {shown}, expected {wanted}")

    def compare_candles(self):
        """The hours that prices have closed, and the running one."""
        for name, market in self.model.markets.items():
            ended = self.ask("history", name, "--every", "1h", "--since", "2000d", "--format", "ndjson")
            shown = [json.loads(line) for line in ended.stdout.splitlines()]
            shown = [(row["start"], row["open"], row["high"], row["low"], row["close"], row["samples"]) for row in shown]
            wanted = [(iso(hour), *map(plain, candle[:4]), candle[4]) for hour, candle in sorted(market.candles.items())]
            self.part.count("candles", len(wanted))
            if shown != wanted:
                self.differ(f"candles of {name}: {sorted(set(shown) ^ set(wanted))[:4]}")


def logged(line):
    return (line["rule"], line["market"], line["event"][6:], line["reason"], line.get("price"), line.get("threshold"),
            line.get("change_percent"), line["since"], line.get("late_s"))


def alike(events):
    number = lambda value: None if value is None else str(Decimal(str(value)).normalize())
    # At the end of a silence, which may be without a price, the condition is not judged.
    judged = lambda event: event[5:7] if event[3] != "silence_ended" else (None, None)
    return [(*event[:4], *map(number, (event[4], *judged(event))), *event[7:]) for event in events]
