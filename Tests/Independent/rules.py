#!/usr/bin/env python3
"""Plays random prices to the program and to a model of its alert rules, and compares every event and state.

The model is written from the manual and shares no code with the program. A provider of its own listens on loopback;
the program polls it with `run --once`, a process a step, under a clock that faketime holds still at each step.

    rules.py [--steps 300] [--seed N] [--program .build/debug/pricewatch] [--keep FOLDER]

Exit 0: no difference; 1: differences, each printed; 77: faketime is not installed (a package of Debian).
Steps are multiples of ten seconds, so that no duration ends within the second by which an answer may come early.
"""
import argparse, datetime, email.utils, http.server, json, os, random, shutil, subprocess, sys, tempfile, threading
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

EVERY, STALE_AFTER, TRUST = 60, 900, Fraction(20, 100)
START = 1_795_255_200  # 2026-11-21T10:00:00Z
SIDES = {"above": "up", "rises": "up", "new_high": "up", "below": "down", "falls": "down", "new_low": "down"}
SCALES = {"alpha": "0.00000012", "beta": "0.9871", "gamma": "104.25", "delta": "117283949.5"}


def iso(seconds):
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def decimal(value):
    """The nearest price of 18 digits."""
    return Context(prec=18, rounding=ROUND_HALF_EVEN).divide(Decimal(value.numerator), Decimal(value.denominator))


def plain(price):
    text = f"{price:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def percent(old, new):
    """(new - old) / old × 100 in hundredths, half away from zero."""
    hundredths = (Fraction(new) - Fraction(old)) / Fraction(old) * 10_000
    return int(abs(hundredths) + Fraction(1, 2)) * (1 if hundredths >= 0 else -1)


# The model: prices.

class Market:
    def __init__(self):
        self.state, self.reason, self.disagreeing = "unknown", "not_asked", 0
        self.trusted = self.candidate = None  # (price, quoted_at, heard_at)
        self.samples = []  # (quoted_at, price) of trusted prices
        self.answers = []  # when a fresh price of it was answered

    def begin(self):
        """A new process takes its markets from the history, which holds prices."""
        if self.trusted:
            self.state, self.reason = "known", "unconfirmed" if self.candidate else None

    def take(self, kind, price, quoted, now):
        if kind != "price":
            self.state = "missing" if kind == "missing" else "unknown"
            self.reason = {"missing": "not_answered", "null": "null_price", "bad": "bad_price"}[kind]
            return
        self.hear(price, now if quoted is None else quoted, now)
        self.state = "known"
        if self.fresh(now):
            self.answers.append(now)

    def hear(self, price, quoted, now):
        newest = self.candidate or self.trusted
        if newest and quoted < newest[1]:
            self.reason = "unconfirmed" if self.candidate else "old_quote"
            return
        if newest and (price, quoted) == newest[:2]:
            # Nothing new: no second opinion on a large move, unless the price before it is too old to be one.
            if not self.candidate:
                self.trusted, self.reason = (price, quoted, now), None
            elif now - self.trusted[2] >= 3 * EVERY:
                self.believe((price, quoted, now))
            return
        new = (price, quoted, now)
        self.disagreeing += 1
        if self.candidate:
            if abs(price - self.candidate[0]) < abs(price - self.trusted[0]):
                self.trusted = self.candidate
                self.samples.append((self.trusted[1], self.trusted[0]))
            self.candidate = None
        if self.trusted and self.disagreeing < 3 and now - self.trusted[2] < 3 * EVERY:
            before = Fraction(self.trusted[0])
            if abs(Fraction(price) - before) > before * TRUST:
                self.candidate, self.reason = new, "unconfirmed"
                return
        self.believe(new)

    def believe(self, new):
        self.trusted, self.candidate, self.disagreeing, self.reason = new, None, 0, None
        self.samples.append((new[1], new[0]))

    def price(self):
        return self.trusted[0] if self.state == "known" else None

    def fresh(self, now):
        return self.state == "known" and now - self.trusted[1] <= STALE_AFTER

    def covered(self, window, now):
        """Watched for 80 % of the window: the time between answers no further apart than two intervals."""
        watched = 0
        for earlier, later in zip(self.answers, self.answers[1:]):
            if later - earlier <= 2 * EVERY:
                watched += max(0, later - max(earlier, now - window))
        return watched * 100 >= window * 80

    def others(self, window):
        """Every other price of the window, which ends with the newest quote and includes both ends."""
        return [price for quoted, price in self.samples[:-1] if quoted >= self.trusted[1] - window]


# The model: rules.

class Alert:
    def __init__(self):
        self.state = "inactive"
        self.since = self.held = self.last = self.faded = self.notified = self.price = self.side = None


def judge(rule, price, others):
    """The side on which the condition holds, or None; threshold and change by side."""
    kind, changes = rule["kind"], {}
    if "window" not in rule:
        low, high = rule.get("low"), rule.get("high")
        up, down = high and price > high, low and price < low
    elif not others:
        return None, {}, {}
    elif kind in ("new_high", "new_low"):
        low, high = min(others), max(others)
        up, down, changes = price > high, price < low, {"up": percent(high, price), "down": percent(low, price)}
    else:
        changes = {"up": percent(min(others), price), "down": percent(max(others), price)}
        high, low = Fraction(min(others)) * (1 + rule["share"]), Fraction(max(others)) * (1 - rule["share"])
        up, down, high, low = price >= high, price <= low, decimal(high), decimal(low)
    sides = [side for side, beyond in (("up", up), ("down", down)) if beyond and side == SIDES.get(kind, side)]
    if len(sides) == 2:  # a move that crossed both bounds is named by the larger change
        sides = ["up" if changes["up"] >= -changes["down"] else "down"]
    return (sides[0] if sides else None), {"up": high, "down": low}, changes


def decide(rule, alert, side, price, now):
    """Moves the alert on; returns what is announced, and why."""
    if rule.get("once") and alert.state == "resting":
        return None
    counts = lambda last: now - last if now - last <= 3 * EVERY else 0

    def fire():
        alert.state, alert.since, alert.notified, alert.price = "firing", now, now, price
        alert.side, alert.faded = side, None
        return "firing", "first_firing"

    if alert.state != "firing" and not side:
        alert.state = "inactive"
        return None
    if alert.state == "pending":
        alert.held, alert.last = alert.held + counts(alert.last), now
        return fire() if alert.held >= rule["for"] else None
    if alert.state != "firing":
        if not rule.get("for"):
            return fire()
        alert.state, alert.since, alert.held, alert.last = "pending", now, 0, now
        return "pending", "first_met"
    alert.side, ended = side or alert.side, not side
    if ended and "clear" in rule:
        ended = price <= rule["clear"] if alert.side == "up" else price >= rule["clear"]
    if ended:
        alert.faded = (0, now) if alert.faded is None else (alert.faded[0] + counts(alert.faded[1]), now)
        if alert.faded[0] < rule.get("keep_firing_for", 0):
            return None
        alert.state = "resting" if rule.get("once") else "inactive"
        return "resolved", "condition_ended"
    alert.faded = None
    step, reason = rule.get("repeat_on_move"), None
    if step and side:
        since = Fraction(alert.price)
        if Fraction(price) >= since * (1 + step) if side == "up" else Fraction(price) <= since * (1 - step):
            reason = "moved_further"
    if reason is None and rule.get("repeat") and now - alert.notified >= rule["repeat"]:
        reason = "repeat_interval"
    if reason is None:
        return None
    alert.notified, alert.price = now, price
    return "reminder", reason


class Model:
    def __init__(self, rules):
        self.rules, self.markets = rules, {name: Market() for name in SCALES}
        self.alerts, self.edited = {}, set()
        self.usable = None  # the last poll that brought a price

    def step(self, now, answer):
        """`answer`: market to (kind, price, quoted_at), or None for a poll that failed."""
        late = None
        for market in self.markets.values():
            market.begin()
        if answer is not None:
            if any(kind == "price" for kind, _, _ in answer.values()):
                if self.usable and now - self.usable > 3 * EVERY:
                    late = now - self.usable
                self.usable = now
            for name, (kind, price, quoted) in answer.items():
                self.markets[name].take(kind, price, quoted, now)
        events = []
        for rule in self.rules:
            for name in rule["markets"]:
                events += self.put(rule, name, now, answer is not None, late)
        self.edited.clear()
        return events

    def put(self, rule, name, now, answered, late):
        market, alert = self.markets[name], self.alerts.setdefault((rule["name"], name), Alert())
        events, price = [], market.price()

        def announce(kind, reason, threshold, change, since):
            delay = late if reason in ("first_met", "first_firing", "condition_ended") else None
            events.append((rule["name"], name, kind, reason, price and plain(price), threshold and plain(threshold),
                           change and change / 100, iso(since), delay))

        if rule["name"] in self.edited:
            if alert.state == "firing":
                announce("resolved", "edited", None, None, alert.since)
            alert.__init__()
        if rule.get("expires") and now >= rule["expires"]:
            if alert.state == "firing":
                bound = {"up": rule.get("high"), "down": rule.get("low")}
                announce("resolved", "expired", price and bound.get(alert.side), None, alert.since)
            alert.__init__()
            return events
        if rule["kind"] == "stale":  # nothing quoted for so long; judged at every poll
            side, bounds, changes = "up" if now - market.trusted[1] >= rule["limit"] else None, {}, {}
        else:
            window = rule.get("window")
            if not answered or not market.fresh(now) or (window and not market.covered(window, now)):
                return events  # unknown holds the state
            side, bounds, changes = judge(rule, price, market.others(window) if window else [])
        since = alert.since if alert.state in ("pending", "firing") else now
        on = side or SIDES.get(rule["kind"]) or alert.side
        if said := decide(rule, alert, side, price, now):
            announce(*said, bounds.get(on), changes.get(on), since)
        return events

    def in_state(self, state):
        return sorted(key for key, alert in self.alerts.items() if alert.state == state)


# Random rules and prices.

def modifiers(dice, rule):
    for key, share, values in (
            ("for", 0.35, [60, 120, 150, 300]), ("keep_firing_for", 0.35, [60, 120, 300]),
            ("repeat", 0.35, [60, 180, 600]), ("once", 0.12, [True]),
            ("repeat_on_move", 0.35, [Fraction(hundredths, 10_000) for hundredths in (50, 100, 250)]),
            ("expires", 0.12, range(START + 2400, START + 24_000, 60))):
        if dice.random() < share and (key != "repeat_on_move" or rule["kind"] != "stale"):
            rule[key] = dice.choice(values)
    return rule


def level(dice, name, low, high):
    """A price of few digits near the middle of a market's path."""
    return Context(prec=4).create_decimal(Decimal(SCALES[name]) * Decimal(f"{dice.uniform(low, high):.4f}"))


def condition(dice, rule):
    """What is edited when a rule is: its numbers."""
    kind, name, _ = rule["kind"], rule["markets"][0], [rule.pop(key, None) for key in ("low", "high", "clear")]
    if kind in ("above", "outside"):
        rule["high"] = level(dice, name, 1.0, 1.06)
    if kind in ("below", "outside"):
        rule["low"] = level(dice, name, 0.94, 0.995)
    if kind in ("above", "below", "outside") and dice.random() < 0.5:
        low, high = rule.get("low", rule.get("high")), rule.get("high", rule.get("low"))
        rule["clear"] = (low + high) / 2 * Decimal({"above": "0.985", "below": "1.015"}.get(kind, "1"))
    if kind in ("rises", "falls", "moves"):
        rule["share"] = Fraction(dice.choice([100, 250, 500, 1110]), 10_000)
    if kind in ("rises", "falls", "moves", "new_high", "new_low"):
        rule["window"] = dice.choice([180, 300, 600, 1500])
    if kind == "stale":
        rule["limit"] = dice.choice([120, 240, 600])
    return rule


def make_rules(dice):
    levels, others = ("above", "below", "outside"), ("rises", "falls", "moves", "new_high", "new_low", "stale")
    rules = [{"name": f"{kind}-{name}", "kind": kind, "markets": [name]} for name in SCALES for kind in levels]
    rules += [{"name": f"{kind}-{place}", "kind": kind, "markets": list(SCALES)} for kind in others for place in (1, 2)]
    return [modifiers(dice, condition(dice, rule)) for rule in rules]


def share(value):
    return f"{plain(decimal(value * 100))}%"


def condition_text(rule):
    kind = rule["kind"]
    if kind in ("above", "below", "outside"):
        bounds = [plain(rule[key]) for key in ("low", "high") if key in rule]
        return f"{kind}: {bounds[0] if len(bounds) == 1 else '[' + ', '.join(bounds) + ']'}"
    if "share" in rule:
        return f"{kind}: {share(rule['share'])}, within: {rule['window']}s"
    return f"{kind}: {rule.get('window') or rule['limit']}s"


def text_of(rule):
    text = f"name: {rule['name']}, markets: [{', '.join(rule['markets'])}], {condition_text(rule)}"
    for key, write in (
            ("for", "{}s".format), ("keep_firing_for", "{}s".format), ("repeat", "{}s".format), ("clear", plain),
            ("repeat_on_move", share), ("once", lambda once: "true"), ("expires", iso)):
        text += f", {key}: {write(rule[key])}" if key in rule else ""
    return "  - {" + text + "}"


class Path:
    """One market's prices, with everything that providers do to them."""

    def __init__(self, dice, name, rules):
        self.dice, self.price, self.middle = dice, Decimal(SCALES[name]), Decimal(SCALES[name])
        own = [rule for rule in rules if rule["markets"] == [name]]
        self.levels = [rule[key] for rule in own for key in ("low", "high", "clear") if key in rule]
        self.quiet, self.last, self.before, self.jumped = 0, None, [], None

    def next(self, now):
        dice = self.dice
        if not self.before:  # a market without any price is as old as the process
            self.before, self.last = [self.price], ("price", self.price, now)
            return self.last
        if self.quiet or dice.random() < 0.06:
            if not self.quiet:
                self.quiet, self.silent = dice.choice([1, 1, 2, 5, 17]), dice.choice(["missing", "null", "bad"])
            self.quiet -= 1
            return self.silent, None, None
        if dice.random() < 0.08:
            return self.last  # the same once more
        if self.jumped:
            self.price, self.jumped = (self.jumped if dice.random() < 0.6 else self.price), None
        pull = 1 + float(self.middle - self.price) / float(self.middle) * 0.05
        price = self.price * Decimal(f"{pull * dice.gauss(1, 0.012):.6f}")
        chance = dice.random()
        if chance < 0.04:
            self.jumped = self.price  # more than is believed at once, and perhaps back
            price = self.price * Decimal(dice.choice(["0.4", "0.7", "1.19", "1.2", "1.21", "1.5", "3"]))
        elif chance < 0.10:
            price = dice.choice(self.levels)  # exactly at a level
        elif chance < 0.16:  # exactly so many per cent
            shares = ["1", "1.01", "0.975", "1.05", "0.889", "1.111"]
            price = dice.choice(self.before[-8:]) * Decimal(dice.choice(shares))
        self.price = Context(prec=dice.choice([5, 9, 12])).plus(price)
        self.before.append(self.price)
        quoted = dice.choice([now, now, now - 10, now - 20, now - 40, None])
        if dice.random() < 0.03:  # older than what is known, or stale
            quoted = now - dice.choice([70, 300, 890, 1200])
        self.last = ("price", self.price, quoted)
        return self.last


# The provider and the program.

class Provider(http.server.BaseHTTPRequestHandler):
    now, answer, requests = START, None, 0

    def do_GET(self):
        Provider.requests += 1
        body = b"{}" if self.answer is None else self.rows().encode()
        self.send_response(500 if self.answer is None else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def rows(self):
        rows = []
        for number, (name, (kind, price, quoted)) in enumerate(self.answer.items()):
            if kind == "missing":
                continue
            time = "null" if quoted is None else f'"{iso(quoted)}"'
            text = plain(price) if kind == "price" else ["0", "-1", '"n/a"', "7"][number] if kind == "bad" else "null"
            time = '"yesterday"' if text == "7" else time
            rows.append(f'{{"id":"{name}","symbol":"","name":"","current_price":{text},"last_updated":{time}}}')
        return "[" + ",".join(rows) + "]"

    def date_time_string(self, timestamp=None):
        return email.utils.formatdate(Provider.now, usegmt=True)

    log_message = lambda *arguments: None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.build/debug/pricewatch")
    parser.add_argument("--program", default=program)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1_000_000))
    parser.add_argument("--keep", help="a folder for configuration, database and log; without it they are deleted")
    options = parser.parse_args()
    if not shutil.which("faketime"):
        print("faketime is not installed (a package of Debian)", file=sys.stderr)
        return 77
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(prefix="pricewatch-rules-") as temporary:
        os.makedirs(options.keep or temporary, exist_ok=True)
        return play(options, options.keep or temporary, f"http://127.0.0.1:{server.server_address[1]}")


def play(options, folder, url):
    dice = random.Random(options.seed)
    model = Model(make_rules(dice))
    paths = {name: Path(dice, name, model.rules) for name in SCALES}
    now, broken, read, judgements, announced, differences = START, 0, 0, 0, {}, 0
    print(f"seed {options.seed}, {options.steps} steps, {len(model.rules)} rules")
    for step in range(options.steps):
        now += dice.choice([60] * 12 + [30, 40, 50, 70, 90, 110, 120, 130, 150, 170])
        if step and dice.random() < 0.03:
            rule = dice.choice(model.rules)
            if condition_text(rule) != condition_text(condition(dice, rule)):
                model.edited.add(rule["name"])
        broken = broken - 1 if broken else (dice.choice([1, 1, 3, 6]) if step and dice.random() < 0.04 else 0)
        answer = None if broken else {name: path.next(now) for name, path in paths.items()}
        Provider.now, Provider.answer = now, answer
        expected = model.step(now, answer)
        run(options, folder, url, model.rules, now)
        said, read = events(folder, read)
        status = json.load(open(f"{folder}/status.json"))
        found = compare(model, expected, said, status, now)
        judgements += sum(len(rule["markets"]) for rule in model.rules)
        for event in expected:
            announced[event[2:4]] = announced.get(event[2:4], 0) + 1
        for line in found:
            print(f"step {step} at {iso(now)}: {line}")
        differences += len(found)
        if differences > 20:
            break
    counts = ", ".join(f"{count} {kind}:{reason}" for (kind, reason), count in sorted(announced.items()))
    print(f"{judgements} judgements, {counts}; {differences} differences")
    return 1 if differences else 0


def run(options, folder, url, rules, now):
    lines = "\n".join(text_of(rule) for rule in rules)
    with open(f"{folder}/pricewatch.yaml", "w") as file:
        file.write(f"""watch: {{markets: [{', '.join(SCALES)}]}}
feeds: [{{provider: coingecko, url: "{url}"}}]
poll: {{every: {EVERY}s, retry: {{attempts: 1}}}}
history: {{database: {folder}/history.db, backfill: null}}
log: {{file: {folder}/pricewatch.log, format: json}}
status_file: {folder}/status.json
builtin_alerts: false
digest: null
alerts:
{lines}
""")
    asked = Provider.requests
    ended = subprocess.run(
        ["faketime", "-m", "--exclude-monotonic", "-f", iso(now).replace("T", " ")[:-1],
         options.program, "run", "--once", "--config", f"{folder}/pricewatch.yaml"],
        env={"PATH": os.environ["PATH"], "HOME": folder, "TZ": "UTC", "NO_FAKE_STAT": "1"},
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=60)
    if ended.returncode not in (0, 69) or Provider.requests != asked + 1:
        raise SystemExit(f"exit {ended.returncode} at {iso(now)}: {ended.stderr.decode()}")


def events(folder, read):
    """What the log has gained, as the model says it."""
    with open(f"{folder}/pricewatch.log") as file:
        file.seek(read)
        lines = [json.loads(line) for line in file]
        read = file.tell()
    return [
        (line["rule"], line["market"], line["event"][6:], line["reason"], line.get("price"), line.get("threshold"),
         line.get("change_percent"), line["since"], line.get("late_s"))
        for line in lines if line["event"].startswith("alert.")], read


def compare(model, expected, said, status, now):
    number = lambda value: None if value is None else str(Decimal(str(value)).normalize())
    alike = lambda events: [(*event[:4], *map(number, event[4:7]), *event[7:]) for event in events]
    expected, said = alike(expected), alike(said)
    found = [f"expected and not said: {event}" for event in expected if event not in said]
    found += [f"said and not expected: {event}" for event in said if event not in expected]
    for state in ("firing", "pending"):
        shown = sorted((event["rule"], event["market"]) for event in status["alerts"][state])
        if shown != model.in_state(state):
            found.append(f"{state}: {sorted(set(shown) ^ set(model.in_state(state)))}")
    for row in status["markets"]:
        market = model.markets[row["market"]]
        state = market.state if market.state != "known" else "fresh" if market.fresh(now) else "stale"
        wanted = (state, market.reason, market.price() and plain(market.price()))
        if (shown := (row["state"], row["reason"], row["price"])) != wanted:
            found.append(f"{row['market']}: {shown}, expected {wanted}")
    return found


if __name__ == "__main__":
    sys.exit(main())
