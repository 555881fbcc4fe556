"""Random rules, and random prices with everything that providers do to them, for the model in `rules.py`."""
from decimal import Context, Decimal
from fractions import Fraction

from rules import PACE, SCALES_OF_ALL, decimal, iso, plain

START = 1_792_836_000  # 2026-10-24T10:00:00Z: Europe puts its clocks back the night after, America a week later


def paced(seconds):
    """A duration of rules that are polled each minute, for the present pace; in tens of seconds."""
    return seconds * PACE.every // 600 * 10


def modifiers(dice, rule):
    for key, share, values in (
            ("for", 0.35, [*map(paced, (60, 120, 150, 300))]), ("keep_firing_for", 0.35, [*map(paced, (60, 120, 300))]),
            ("repeat", 0.35, [*map(paced, (60, 180, 600))]), ("once", 0.12, [True]),
            ("severity", 0.2, ["critical"]),
            ("repeat_on_move", 0.35, [Fraction(hundredths, 10_000) for hundredths in (50, 100, 250)]),
            ("expires", 0.12, range(START + paced(2400), START + paced(24_000), PACE.every))):
        if dice.random() < share and (key != "repeat_on_move" or rule["kind"] != "stale"):
            rule[key] = dice.choice(values)
    return rule


def level(dice, name, low, high):
    """A price of few digits near the middle of a market's path."""
    return Context(prec=4).create_decimal(Decimal(SCALES_OF_ALL[name]) * Decimal(f"{dice.uniform(low, high):.4f}"))


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
        rule["window"] = paced(dice.choice([180, 300, 600, 1500]))
    if kind == "stale":
        rule["limit"] = paced(dice.choice([120, 240, 600]))
    return rule


def make_rules(dice):
    levels, others = ("above", "below", "outside"), ("rises", "falls", "moves", "new_high", "new_low", "stale")
    rules = [{"name": f"{kind}-{name}", "kind": kind, "markets": [name]} for name in SCALES_OF_ALL for kind in levels]
    rules += [{"name": f"{kind}-{place}", "kind": kind, "markets": list(SCALES_OF_ALL)} for kind in others for place in (1, 2)]
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
            ("repeat_on_move", share), ("severity", str), ("once", lambda once: "true"), ("expires", iso)):
        text += f", {key}: {write(rule[key])}" if key in rule else ""
    return "  - {" + text + "}"


class Path:
    """One market's prices, with everything that providers do to them."""

    def __init__(self, dice, name, rules):
        self.dice, self.price, self.middle = dice, Decimal(SCALES_OF_ALL[name]), Decimal(SCALES_OF_ALL[name])
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
        elif chance < 0.16:  # exactly at a percentage
            shares = ["1", "1.01", "0.975", "1.05", "0.889", "1.111"]
            price = dice.choice(self.before[-8:]) * Decimal(dice.choice(shares))
        self.price = Context(prec=dice.choice([5, 9, 12])).plus(price)
        self.before.append(self.price)
        quoted = dice.choice([now, now, now - 10, now - 20, now - 40, None])
        if dice.random() < 0.03:  # older than what is known, or stale
            quoted = now - dice.choice([70, 300, PACE.stale_after - 10, PACE.stale_after + 300])
        self.last = ("price", self.price, quoted)
        return self.last


def next_time(dice, now):
    """When the next poll is: mostly an interval later, sometimes less or up to three."""
    return now + paced(dice.choice([60] * 12 + [30, 40, 50, 70, 90, 110, 120, 130, 150, 170]))
