"""A proxy before an engine, with the faults of networks, load balancers and engines."""
import contextlib
import gzip
import http.server
import socket
import struct
import threading
import time
import urllib.error
import urllib.request

from stage import free_port

REFUSALS = {"400": 400, "401": 401, "404": 404, "413": 413, "429": 429, "500": 500}


class Proxy:
    """Its `mode` is `pass`, `hang`, `reset`, one of REFUSALS, or `line`: 400 to every request that holds a line with
    `bad` in it, as an engine that takes all or nothing. `away()` refuses connections."""

    def __init__(self, engine):
        self.engine = engine
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.mode = "pass"
        self.bad = None
        self.retry_after = None
        self.changed = threading.Condition()
        self.lock = threading.Lock()
        # Of each request: time, mode, status of the answer (None without one), number of lines, bytes as sent.
        self.requests = []
        self.server = None
        self.listen()

    def listen(self):
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1
            disable_nagle_algorithm = True

            def do_GET(self):
                proxy.take(self, None)

            def do_POST(self):
                proxy.take(self, self.rfile.read(int(self.headers["Content-Length"])))

            def log_message(self, *arguments):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            allow_reuse_address = True

            def __init__(self, *arguments):
                self.connections = set()
                super().__init__(*arguments)

            def process_request(self, request, client_address):
                self.connections.add(request)
                super().process_request(request, client_address)

            def shutdown_request(self, request):
                self.connections.discard(request)
                super().shutdown_request(request)

            def handle_error(self, request, client_address):
                pass  # a connection that we reset, or a killed daemon's

        self.server = Server(("127.0.0.1", self.port), Handler)
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    @contextlib.contextmanager
    def faulty(self, mode, bad=None, retry_after=None):
        with self.changed:
            self.mode, self.bad, self.retry_after = mode, bad, retry_after
        try:
            yield
        finally:
            with self.changed:
                self.mode, self.bad, self.retry_after = "pass", None, None
                self.changed.notify_all()

    @contextlib.contextmanager
    def away(self):
        """Nothing listens, and the connections that were open end."""
        self.server.shutdown()
        self.server.server_close()
        for connection in list(self.server.connections):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        try:
            yield
        finally:
            self.listen()

    def take(self, handler, body):
        mode, bad, retry_after = self.mode, self.bad, self.retry_after
        text = b"" if body is None else body
        if handler.headers["Content-Encoding"] == "gzip":
            text = gzip.decompress(text)
        status, answer, headers = None, b"", {}
        if mode == "hang":
            with self.changed:
                self.changed.wait_for(lambda: self.mode != "hang")
            handler.close_connection = True
        elif mode == "reset":
            # SO_LINGER 0: RST in place of FIN.
            handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            handler.close_connection = True
        elif mode in REFUSALS:
            status, answer = REFUSALS[mode], f"the proxy says {mode}".encode()
            if retry_after is not None:
                headers["Retry-After"] = str(retry_after)
        elif mode == "line" and any(bad.encode() in line for line in text.splitlines()):
            status, answer = 400, b'{"error":"unable to parse: invalid number"}'
        else:
            status, answer = self.forward(handler, body)
        with self.lock:
            self.requests.append((time.time(), mode, status, len(text.splitlines()), len(body or b"")))
        if status is not None:
            with contextlib.suppress(OSError):
                handler.send_response(status)
                for name, value in headers.items():
                    handler.send_header(name, value)
                if status != 204:
                    handler.send_header("Content-Length", str(len(answer)))
                handler.end_headers()
                handler.wfile.write(answer)

    def forward(self, handler, body):
        request = urllib.request.Request(self.engine.url + handler.path, data=body, method=handler.command)
        for name in ("Content-Encoding", "Content-Type", "Authorization"):
            if handler.headers[name]:
                request.add_header(name, handler.headers[name])
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as refusal:
            return refusal.code, refusal.read()
        except OSError:
            return 502, b"the engine is away"

    def since(self, moment, *modes):
        with self.lock:
            return [request for request in self.requests if request[0] >= moment and (not modes or request[1] in modes)]
