"""A provider for a `json` feed: prices that change each second and say for which moment they are."""
import http.server
import json
import math
import threading
import time
import urllib.parse

# Names that line protocol, PromQL or a URL must not take for their own.
HOSTILE = ["a b", "x=y", "ü-€", 'quo"te', "back\\slash", "boringdao-[old]", "per%cent", "a+b&c"]


def names(count, hostile=False):
    """`count` ids of markets, ordinary ones and those that need escapes."""
    first = HOSTILE if hostile else []
    return first + [f"market-{number}" for number in range(count - len(first))]


def noise(seed, *numbers):
    """The same number from 0 up to 1 for the same arguments, in any process."""
    mixed = seed * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF
    for number in numbers:
        mixed = (mixed ^ number) * 0xBF58476D1CE4E5B9 & 0xFFFFFFFFFFFFFFFF
        mixed ^= mixed >> 29
    return (mixed >> 11) / (1 << 53)


class Prices:
    """The price of a market by its number and the second. Most move little, some jump and stay (to be confirmed by the
    next poll), some jump and return (never confirmed). `crossing` swings about 100, for rules to fire and resolve."""

    def __init__(self, seed, crossing=None, jumps=True):
        self.seed = seed
        self.crossing = crossing
        self.jumps = jumps

    def text(self, market, second):
        if market == self.crossing:
            return f"{100 + 10 * math.sin(second / 3):.4f}"
        level = 1 + 0.05 * math.sin(second / 40 + market) + 0.002 * noise(self.seed, market, second)
        if self.jumps:
            if noise(self.seed, market, second // 20, 7) < 0.1:
                level *= 1.5
            if noise(self.seed, market, second, 9) < 0.01:
                level *= 3
        digits = 4 + market % 14
        significand = int(level * (0.1 + 0.8 * noise(self.seed, market)) * 10 ** digits)
        exponent = market * 5 % 25 - 8 - digits
        whole = str(significand * 10 ** max(0, exponent)).rjust(1 - min(0, exponent), "0")
        return whole[:exponent] + "." + whole[exponent:] if exponent < 0 else whole

    def quoted_at(self, market, second):
        """In ms: within the second before, but one market in ten is quoted every 5 s alone."""
        if market % 10 == 9:
            second -= second % 5
        return second, (second - 1) * 1000 + int(999 * noise(self.seed, market, 3))


class Provider:
    """`/prices` has all markets, `/prices?ids=a,b` these; prices change every `renews` seconds."""

    def __init__(self, markets, prices, change=None, renews=1):
        self.markets = markets
        self.numbers = {market: number for number, market in enumerate(markets)}
        self.prices = prices
        self.change = change
        self.renews = renews
        self.lock = threading.Lock()
        self.second, self.rows = 0, []
        provider = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # One packet an answer: Nagle's algorithm would hold the body back for 40 ms.
            wbufsize = -1
            disable_nagle_algorithm = True

            def do_GET(self):
                query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
                body = provider.document(query["ids"][0].split(",") if "ids" in query else None)
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 100

            def handle_error(self, request, client_address):
                pass  # a killed daemon leaves its connections as they are

        self.server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def document(self, wanted):
        with self.lock:
            second = int(time.time()) // self.renews * self.renews
            if second != self.second:
                self.rows = [self.row(number, second) for number in range(len(self.markets))]
                self.second = second
            rows = self.rows
        if wanted is not None:
            rows = [rows[self.numbers[market]] for market in wanted if market in self.numbers]
        return ('{"markets":[' + ",".join(rows) + "]}").encode()

    def row(self, number, second):
        second, at = self.prices.quoted_at(number, second)
        change = "" if self.change is None else f',"change":{self.change}'
        return (f'{{"id":{json.dumps(self.markets[number])},"price":{self.prices.text(number, second)},"at":{at}{change}}}')

    def feed(self, name="prices", **more):
        """The section of the configuration that asks it: in pages of named markets where these are many."""
        url = f"http://127.0.0.1:{self.server.server_port}/prices"
        fields = {"id": "/id", "price": "/price", "quoted_at": "/at"}
        if self.change is not None:
            fields["change_24h_percent"] = "/change"
        return {"name": name, "provider": "json", "url": url if len(self.markets) <= 250 else url + "?ids={ids}",
                "list": "/markets", "fields": fields, "time_format": "epoch_ms", "currency": "usd", **more}
