#!/usr/bin/env python3
"""Finds, in the recorded samples alone, when three rules had to fire, and prints it beside what the daemon said.

Knows nothing of the daemon's code: reads the views `prices` and `alerts` of a database whose markets were polled
once a minute without a gap.

    find_firings.py DATABASE ABOVE RISES_PERCENT RISES_SECONDS HIGH_SECONDS
"""
import sqlite3
import sys
from decimal import Decimal

path, above, percent, within, high = sys.argv[1], Decimal(sys.argv[2]), Decimal(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5])
database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)


def edges(is_met):
    """The moments at which a condition begins to hold; unknown changes nothing."""
    found, fires = [], False
    for moment, met in is_met:
        if met and not fires:
            found.append(moment)
        if met is not None:
            fires = met
    return found


expected, said = [], []
for (market,) in database.execute("SELECT DISTINCT market FROM prices ORDER BY market").fetchall():
    samples = [(t, Decimal(p)) for t, p in database.execute(
        "SELECT quoted_at, price_text FROM prices WHERE market = ? ORDER BY quoted_at", (market,))]

    def window(index, length):
        """The other prices of the window; none before 80 % of it were watched."""
        now = samples[index][0]
        if (now - max(samples[0][0], now - length)) * 100 < length * 80:
            return None
        return [p for t, p in samples[:index] if t >= now - length]

    def judge(length, met):
        for index, (moment, price) in enumerate(samples):
            others = window(index, length)
            yield moment, None if others is None else bool(others) and met(price, others)

    expected += [("above", market, t) for t in edges((t, p > above) for t, p in samples)]
    expected += [("rises", market, t) for t in edges(
        judge(within, lambda price, others: (price - min(others)) * 100 >= percent * min(others)))]
    expected += [("new_high", market, t) for t in edges(judge(high, lambda price, others: price > max(others)))]

said = database.execute("SELECT rule, market, at FROM alerts WHERE event = 'firing'").fetchall()
missed, invented = sorted(set(expected) - set(said)), sorted(set(said) - set(expected))
counts = {rule: sum(1 for event in expected if event[0] == rule) for rule in ("above", "rises", "new_high")}
print(f"expected {counts}, said {len(said)}, missed {missed}, invented {invented}")
sys.exit(1 if missed or invented or len(said) != len(expected) or not all(counts.values()) else 0)
