"""Reads cases of quiet hours and says where the answer differs from the manual's words.

Standard input has a JSON object a line: `zone`, `quiet` (the ranges as in the configuration), `now` (whole seconds since
1970) and `end` (when the quiet ends, null where `now` is not quiet). Exit status 1 where an answer is wrong.
"""

import json
import sys
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]


def days_of(text):
    """`mon-fri`, `fri-mon`, `mon,wed`, `daily`: the numbers of the days."""
    days = []
    for item in text.split(","):
        item = item.strip()
        if item == "daily":
            return list(range(7))
        first, _, last = item.partition("-")
        day = DAYS.index(first)
        days.append(day)
        while last and DAYS[day] != last:
            day = (day + 1) % 7
            days.append(day)
    return days


def clock(text):
    hours, minutes = text.split(":")
    return timedelta(hours=int(hours), minutes=int(minutes))


def read(text):
    """One range: the days on which it starts, its start after midnight, and its end, on the next day if it is earlier."""
    days, _, times = text.rpartition(" ")
    start, end = (clock(part) for part in times.split("-"))
    if end <= start:
        end += timedelta(days=1)
    return days_of(days or "daily"), start, end


def is_quiet(ranges, moment, zone):
    shown = datetime.fromtimestamp(moment, zone).replace(tzinfo=None)
    today = shown.replace(hour=0, minute=0, second=0)
    for midnight in (today, today - timedelta(days=1)):
        for days, start, end in ranges:
            if midnight.weekday() in days and midnight + start <= shown < midnight + end:
                return True
    return False


def end_of_quiet(ranges, now, zone):
    """Clocks and ranges change on full minutes alone, so that each later minute is looked at."""
    if not is_quiet(ranges, now, zone):
        return None
    moment = now - now % 60
    while is_quiet(ranges, moment, zone):
        moment += 60
        if moment > now + 9 * 86400:
            return "never"
    return moment


def main():
    wrong = count = quiet = 0
    for line in sys.stdin:
        case = json.loads(line)
        end = end_of_quiet([read(text) for text in case["quiet"]], case["now"], ZoneInfo(case["zone"]))
        count += 1
        quiet += end is not None
        if end != case["end"]:
            wrong += 1
            print(f"{case}: ends at {end}")
    print(f"{count} cases, {quiet} of them quiet, {wrong} wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
