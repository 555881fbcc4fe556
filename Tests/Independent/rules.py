"""A model of prices, alert rules, candles and the summary, written from the manual. It shares no code with the program.

`Tests/Torture/model.py` and `daemon.py` play random prices to both and compare them. Steps are multiples of ten seconds,
so that no duration ends within the second by which an answer may come early.
"""
import datetime
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

from messages import Silences

TRUST = Fraction(20, 100)
DAY = 86_400
SIDES = {"above": "up", "rises": "up", "new_high": "up", "below": "down", "falls": "down", "new_low": "down"}
SCALES = {"alpha": "0.00000012", "beta": "0.9871", "gamma": "104.25", "delta": "117283949.5"}
HOLDS = {"beta": Decimal(10), "gamma": Decimal("0.5")}
SCALES_OF_ALL = {**SCALES, "sum": "61.996"}


class PACE:
    """How far polls are apart, in seconds, and when a quote is stale; every duration of a rule goes with it."""
    every, stale_after, compared = 60, 900, 900

    @classmethod
    def set(cls, every):
        cls.every, cls.stale_after = every, max(900, 3 * every)

    @classmethod
    def configure(cls, every):
        cls.set(every)
        cls.compared = min(7200, cls.stale_after)  # older quotes are not compared with a day ago


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
    confirms = True  # false: `confirm_moves_over` is null

    def __init__(self):
        self.state, self.reason, self.disagreeing = "unknown", "not_asked", 0
        self.trusted = self.candidate = None  # (price, quoted_at, heard_at)
        self.samples = []  # (quoted_at, price) of trusted prices, of somewhat more than a day
        self.late = set()  # when those were quoted that are not compared with
        self.answers = []  # when a fresh price of it was answered, and how far the answer before may be
        self.recorded = False  # whether the last answer brought a new price
        self.candles = {}  # the hour's first moment to [open, high, low, close, samples]

    def begin(self):
        """A new process takes its markets from the history, which holds prices."""
        if self.trusted:
            self.state, self.reason = "known", "unconfirmed" if self.candidate else None

    def take(self, kind, price, quoted, now):
        self.recorded = False
        if kind != "price":
            self.state = "missing" if kind == "missing" else "unknown"
            self.reason = {"missing": "not_answered", "null": "null_price", "bad": "bad_price"}[kind]
            return
        self.hear(price, now if quoted is None else quoted, now)
        self.state = "known"
        if self.fresh(now):
            self.answers.append((now, 2 * PACE.every))

    def hear(self, price, quoted, now):
        newest = self.candidate or self.trusted
        if newest and quoted < newest[1]:
            self.reason = "unconfirmed" if self.candidate else "old_quote"
            return
        if newest and (price, quoted) == newest[:2]:
            # Nothing new: no second opinion on a large move, unless the price before it is too old to be one.
            if not self.candidate:
                self.trusted, self.reason = (price, quoted, now), None
            elif now - self.trusted[2] >= 3 * PACE.every:
                self.believe((price, quoted, now))
            else:
                self.reason = "unconfirmed"
            return
        new = (price, quoted, now)
        self.recorded = True
        self.disagreeing += 1
        if self.candidate:
            if abs(price - self.candidate[0]) < abs(price - self.trusted[0]):
                self.trusted, self.disagreeing = self.candidate, 1
                self.trust(self.trusted)
            self.candidate = None
        if self.confirms and self.trusted and self.disagreeing < 3 and now - self.trusted[2] < 3 * PACE.every:
            before = Fraction(self.trusted[0])
            if abs(Fraction(price) - before) > before * TRUST:
                self.candidate, self.reason = new, "unconfirmed"
                return
        self.believe(new)

    def believe(self, new):
        self.trusted, self.candidate, self.disagreeing, self.reason = new, None, 0, None
        self.trust(new)

    def trust(self, new):
        price, quoted, heard = new
        if heard - quoted > PACE.compared:
            self.late.add(quoted)
        if self.samples and self.samples[0][0] < quoted - 2 * DAY:
            self.samples = [sample for sample in self.samples if sample[0] >= quoted - DAY - 7200]
        if (quoted, price) in self.samples[-1:]:
            return  # the same sample, believed once more
        self.samples.append((quoted, price))
        candle = self.candles.setdefault(quoted // 3600 * 3600, [price, price, price, price, 0])
        candle[1:] = max(candle[1], price), min(candle[2], price), price, candle[4] + 1

    def change(self, now):
        """Over the 24 h before the newest price, in hundredths of a percent; None where no other is near enough."""
        if not self.fresh(now):
            return None
        newest = self.samples[-1][0]
        if now - newest > PACE.compared:
            return "either"
        near = [(abs(quoted - (newest - DAY)), quoted, price) for quoted, price in self.samples[:-1]
                if abs(quoted - (newest - DAY)) <= 1800]
        if not near:
            return None
        least = min(near)[0]
        found = {price for distance, _, price in near if distance == least}
        if len(found) > 1 or any(quoted in self.late for distance, quoted, _ in near if distance == least):
            return "either"
        return percent(found.pop(), self.samples[-1][1])

    def price(self):
        return self.trusted[0] if self.state == "known" else None

    def fresh(self, now):
        return self.state == "known" and now - self.trusted[1] <= PACE.stale_after

    def covered(self, window, now):
        """Watched for 80 % of the window: the time between answers no further apart than two intervals."""
        watched, later, longest = 0, None, None
        for earlier, most in reversed(self.answers):
            if later is not None:
                if later <= now - window:
                    break
                if later - earlier <= longest:
                    watched += max(0, later - max(earlier, now - window))
            later, longest = earlier, most
        if len(self.answers) > 2000:
            del self.answers[:1000]
        return watched * 100 >= window * 80

    def others(self, window):
        """Every other price of the window, which ends with the newest quote and includes both ends."""
        found = []
        for quoted, price in reversed(self.samples[-3000:-1]):
            if quoted < self.trusted[1] - window:
                break
            found.append(price)
        return found


class Portfolio(Market):
    """The sum of its parts, while all of them are fresh."""

    def __init__(self, parts):
        super().__init__()
        self.parts, self.reason = parts, "incomplete"
        self.holds, self.valued = dict(HOLDS), None  # the amounts, and those of the newest value
        self.edited = False  # whether this poll brought the first value of edited amounts
        self.asked = None  # since when this process has had answers about its parts

    def begin(self):
        self.asked = None

    def add_up(self, now, answered):
        """By the clock alone it can only become unknown."""
        quoted = max(part.trusted[1] for part in self.parts)
        is_valued = self.valued == self.holds
        known = all(part.fresh(now) for part in self.parts) and (answered or is_valued and self.trusted[1] == quoted)
        self.state, self.reason = ("known", None) if known else ("unknown", "incomplete")
        if answered:
            self.asked = self.asked or now
        if not is_valued and not self.asked:
            self.reason = "not_asked"
        self.edited = False
        if not known or not answered:
            return
        if not is_valued:
            self.edited, self.valued = self.valued is not None, dict(self.holds)
            self.samples, self.answers = [], []
        price = sum(part.trusted[0] * self.holds[name] for name, part in zip(HOLDS, self.parts))
        if not self.samples or (price, quoted) != self.trusted[:2]:
            self.believe((price, quoted, now))
        self.answers.append((now, 2 * PACE.every))


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
    if rule.get("once") and alert.state == "resting" or side and alert.state == "dormant":
        return None
    counts = lambda last: now - last if now - last <= 3 * PACE.every else 0

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


def start_anew(rule, alert, side, price):
    """At the first value of edited amounts; returns whether the alert is resolved by the edit. What the edit alone meets
    stays dormant until it has ended."""
    level = "window" not in rule
    met = level and side
    if alert.state == "firing" and level and alert.faded is None:
        clear = rule.get("clear")
        if met or clear and not (price <= clear if alert.side == "up" else price >= clear):
            alert.price, alert.side = price, side or alert.side
            return False
    if alert.state == "resting" or alert.state == "pending" and met:
        return False
    resolved = alert.state == "firing"
    alert.state = "resting" if resolved and rule.get("once") else "dormant" if met else "inactive"
    return resolved


class Model:
    def __init__(self, rules):
        self.rules, self.markets = rules, {name: Market() for name in SCALES}
        self.markets["sum"] = Portfolio([self.markets[name] for name in HOLDS])
        self.silences = Silences()
        self.alerts, self.edited = {}, set()
        self.usable = None  # the last poll that brought a price
        self.restarts = True  # whether a new process takes this step
        self.last, self.down = None, (0, 0)  # the last step, and the time before this process when none ran
        self.unwatched = 0  # how long there had been no usable answer before this one, where that is a gap

    def step(self, now, answer):
        """`answer`: market to (kind, price, quoted_at), or None for a poll that failed."""
        late, usable, self.unwatched = None, False, 0
        if self.restarts:
            self.down = (self.last, now) if self.last and now - self.last > 3 * PACE.every else (0, 0)
            for market in self.markets.values():
                market.begin()
        self.last = now
        if answer is not None:
            usable = any(kind == "price" for kind, _, _ in answer.values())
            if usable:
                if self.usable and now - self.usable > 3 * PACE.every:
                    late = self.unwatched = now - self.usable
                self.usable = now
            for name, (kind, price, quoted) in answer.items():
                self.markets[name].take(kind, price, quoted, now)
        self.markets["sum"].add_up(now, usable)
        events = []
        for rule in self.rules:
            for name in rule["markets"]:
                # What this poll did not answer has changed by the clock alone, at this moment.
                parts = HOLDS if name == "sum" else [name]
                answered = answer is not None and all(answer[part][0] == "price" for part in parts)
                # Of edited amounts this poll may be the first.
                market = self.markets[name]
                answered &= market.state == "known" and not (name == "sum" and market.edited and market.asked == now)
                events += self.put(rule, name, now, answer is not None, late if answered else None)
        self.edited.clear()
        return events + self.end_silences(now, {event[:2] for event in events})

    def end_silences(self, now, announced):
        """A reminder of each alert that fires behind a silence that has ended, unless this poll announced it anyway."""
        ended, events = self.silences.take_ended(now), []
        for rule in self.rules:
            for name in rule["markets"]:
                key, alert = (rule["name"], name), self.alerts.get((rule["name"], name))
                if (alert is None or alert.state != "firing" or key in announced or self.silences.hold(key, now)
                        or not any(self.silences.covers(silence, key) for silence in ended)):
                    continue
                price = self.markets[name].price()
                events.append((*key, "reminder", "silence_ended", price and plain(price), None, None, iso(alert.since),
                               None))
                alert.notified, alert.price = now, price or alert.price
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
        if rule["kind"] != "stale" and getattr(market, "edited", False):
            side, bounds, _ = judge(rule, price, [])
            on = side or alert.side
            since = alert.since
            if start_anew(rule, alert, side, price):
                announce("resolved", "edited", bounds.get(on), None, since)
        if rule.get("expires") and now >= rule["expires"]:
            if alert.state == "firing":
                crossed = price and judge(rule, price, [])[0] or alert.side
                bound = {"up": rule.get("high"), "down": rule.get("low")}
                announce("resolved", "expired", price and bound.get(crossed), None, alert.since)
            alert.__init__()
            return events
        if rule["kind"] == "stale":  # nothing quoted for so long; judged at every poll
            valued = getattr(market, "valued", None) == getattr(market, "holds", None)
            since = market.trusted[1] if valued else market.asked
            side, bounds, changes = "up" if since and self.age(since, now) >= rule["limit"] else None, {}, {}
            if not valued and not side:
                return events  # no value of the edited amounts yet, so none that could have ended it
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

    def age(self, since, now):
        """The time alone in which nothing ran makes nothing stale."""
        return now - since - max(0, self.down[1] - max(since, self.down[0]))

    def in_state(self, state):
        return sorted(key for key, alert in self.alerts.items() if alert.state == state)
