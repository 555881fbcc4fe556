"""A model of what is sent and when: silences, quiet hours, joined messages and the digest, written from the manual. It
shares no code with the program."""
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from quiet import end_of_quiet, read


class Silences:
    """(rule or None for all, market or None for all) to its end. One that has ended stays until it is announced."""

    def __init__(self):
        self.ends = {}

    def end_now(self, rule, now):
        """`unsilence RULE`; None: all of them."""
        for key, end in self.ends.items():
            if rule in (None, key[0]):
                self.ends[key] = min(end, now)

    @staticmethod
    def covers(silence, alert):
        return all(mine in (None, its) for mine, its in zip(silence, alert))

    def hold(self, alert, now):
        return any(end > now and self.covers(silence, alert) for silence, end in self.ends.items())

    def take_ended(self, now):
        ended = [silence for silence, end in self.ends.items() if end <= now]
        for silence in ended:
            del self.ends[silence]
        return ended


class Channel:
    """What one channel receives, a list of messages a poll; a message is the set of (rule, market, event)."""
    JOINED = 5  # more events of one poll than these are one message
    GAP = ("gap",) * 3  # in a message that reports the gap before a poll

    def __init__(self, zone, quiet=(), resolves=True):
        self.zone, self.quiet, self.resolves = ZoneInfo(zone), [read(text) for text in quiet], resolves
        self.held, self.reports, self.notified = [], [], set()

    def step(self, now, events, severity, silences, gap=False):
        """`events`: (rule, market, kind) in their order; `severity`: of a rule; `gap`: it is reported, with its events."""
        sent = []
        for rule, market, kind in events:
            alert = (rule, market)
            silent = kind == "pending" or silences.hold(alert, now)
            if kind == "resolved":
                silent = silent or not self.resolves or alert not in self.notified
                self.notified.discard(alert)
            elif not silent:
                self.notified.add(alert)
            if not silent:
                sent.append((rule, market, kind))
        messages = []
        urgent = [event for event in sent if severity(event[0]) == "critical"]
        is_quiet = self.quiet and end_of_quiet(self.quiet, now, self.zone)
        if gap:
            (self.reports if is_quiet and not urgent else messages).append({self.GAP, *sent})
            sent = urgent = []
        if is_quiet:
            self.held += [event for event in sent if event not in urgent]
            sent = urgent
        else:
            messages += self.reports + ([set(self.held)] if self.held else [])
            self.held, self.reports = [], []
        if len(sent) > self.JOINED:
            messages.append(set(sent))
        else:
            rules = dict.fromkeys(event[0] for event in sent)
            messages += [{event for event in sent if event[0] == rule} for rule in rules]
        return messages


class Digest:
    """When the digest of a clock time is sent: at the first poll at or after each due time."""

    def __init__(self, zone, clock, began):
        self.zone, self.clock = ZoneInfo(zone), clock
        self.due = self.next(began)

    def next(self, now):
        """The first due time after `now`."""
        day = datetime.fromtimestamp(now, self.zone).date()
        while True:
            hours, minutes = map(int, self.clock.split(":"))
            due = datetime(day.year, day.month, day.day, hours, minutes, tzinfo=self.zone).timestamp()
            if due > now:
                return due
            day += timedelta(days=1)

    def step(self, now):
        if now < self.due:
            return False
        self.due = self.next(now)
        return True
