"""A model of the monthly quota, written from the manual. It shares no code with the program."""
from datetime import datetime, timezone


class Quota:
    """So many requests a month (UTC); None: no limit. The interval is lengthened so that they last."""

    def __init__(self, requests, every):
        self.requests, self.every, self.month, self.used = requests, every, None, 0

    def spend(self, now):
        """A request is sent."""
        self.turn(now)
        self.used += 1

    def turn(self, now):
        moment = datetime.fromtimestamp(now, timezone.utc)
        if self.month != (moment.year, moment.month):
            self.month, self.used = (moment.year, moment.month), 0

    def interval(self, now):
        """What is left is spread evenly over the rest of the month, in whole seconds."""
        self.turn(now)
        if self.requests is None:
            return self.every
        year, month = self.month
        end = int(datetime(year + month // 12, month % 12 + 1, 1, tzinfo=timezone.utc).timestamp())
        left = self.requests - self.used
        return max(self.every, end - now if left <= 0 else -(-(end - now) // left))
