"""What Python's zoneinfo knows of time zones, for comparison.

    zones.py moments SEED   of every zone: zone, seconds since 1970, offset, abbreviation, and what clocks show
    zones.py changes        the same, every hour around the changes of a few zones
    zones.py walls          around the changes: zone, wall time in seconds, the moments that show it
    zones.py days           around the changes: zone, time of day, the moment at which it comes
    zones.py ticks          around the changes: zone, start, end and step in seconds, the round moments in between
"""
import datetime
import random
import sys
import zoneinfo

UTC = datetime.timezone.utc
EPOCH = datetime.datetime(1970, 1, 1)
CHANGING = ["Europe/Berlin", "Australia/Lord_Howe", "America/St_Johns"]


def row(name, zone, seconds):
    there = (EPOCH.replace(tzinfo=UTC) + datetime.timedelta(seconds=seconds)).astimezone(zone)
    shown = f"{there.year:04}-{there:%m-%d %H:%M:%S}"
    print(name, seconds, int(there.utcoffset().total_seconds()), there.tzname(), shown, sep="\t")


def offset(zone, seconds):
    there = (EPOCH.replace(tzinfo=UTC) + datetime.timedelta(seconds=seconds)).astimezone(zone)
    return int(there.utcoffset().total_seconds())


def changes(zone, first, last):
    """The moments at which the offset changes, to the second."""
    start = int((datetime.datetime(first, 1, 1) - EPOCH).total_seconds())
    end = int((datetime.datetime(last + 1, 1, 1) - EPOCH).total_seconds())
    for day in range(start, end, 86400):
        low, high = day, day + 86400
        if offset(zone, low) == offset(zone, high):
            continue
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if offset(zone, middle) == offset(zone, low) else (low, middle)
        yield high


if sys.argv[1] == "moments":
    chance = random.Random(int(sys.argv[2]))
    for name in sorted(zoneinfo.available_timezones()):
        zone = zoneinfo.ZoneInfo(name)
        for first, last in [(1850, 2150), (1970, 2038), (2037, 2040)]:
            span = [int((datetime.datetime(year, 1, 1) - EPOCH).total_seconds()) for year in (first, last)]
            for _ in range(20):
                row(name, zone, chance.randrange(*span))
elif sys.argv[1] == "changes":
    for name in CHANGING:
        zone = zoneinfo.ZoneInfo(name)
        for first, last in [(1979, 1983), (2005, 2009), (2024, 2028), (2036, 2040)]:
            for change in changes(zone, first, last):
                for hour in range(-30, 31):
                    for second in (-1, 0):
                        row(name, zone, change + hour * 3600 + second)
elif sys.argv[1] == "walls":
    for name in CHANGING:
        zone = zoneinfo.ZoneInfo(name)
        for change in changes(zone, 2024, 2040):
            shown = change + offset(zone, change)
            for quarter in range(-60, 61):
                wall = shown + quarter * 900
                at = EPOCH + datetime.timedelta(seconds=wall)
                moments = [int(at.replace(tzinfo=zone, fold=fold).timestamp()) for fold in (0, 1)]
                # In a gap, fold 1 is another reading of a time that no clock shows.
                print(name, wall, moments[0], max(moments), sep="\t")
elif sys.argv[1] == "days":
    for name in CHANGING:
        zone = zoneinfo.ZoneInfo(name)
        for change in changes(zone, 2024, 2032):
            day = (EPOCH + datetime.timedelta(seconds=change + offset(zone, change))).date()
            for ahead in range(-2, 3):
                for time in ["00:00", "01:45", "02:00", "02:30", "07:00", "23:45"]:
                    at = datetime.datetime.combine(
                        day + datetime.timedelta(days=ahead), datetime.time.fromisoformat(time), zone)
                    print(name, time, int(at.timestamp()), sep="\t")
else:
    for name in CHANGING:
        zone = zoneinfo.ZoneInfo(name)
        for change in changes(zone, 2024, 2028):
            for steps, step in [(16, 900), (16, 1800), (24, 3600), (12, 21600), (10, 86400)]:
                start = change - steps * step // 2 + 420
                end = start + steps * step
                round_moments = []
                for seconds in range(start - start % 60, end + 1, 60):
                    at = (EPOCH.replace(tzinfo=UTC) + datetime.timedelta(seconds=seconds)).astimezone(zone)
                    if seconds >= start and (at.hour * 3600 + at.minute * 60) % step == 0:
                        round_moments.append(seconds)
                print(name, start, end, step, ",".join(map(str, round_moments)), sep="\t")
