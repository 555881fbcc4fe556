"""What the crash tests share: their options, a server for many connections that a killed daemon leaves behind, and a
daemon that is killed with SIGKILL at random moments."""
import argparse
import http.server
import random
import signal
import sqlite3
import subprocess
import threading
import time


def options():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--binary", default=".build/debug/pricewatch")
    arguments.add_argument("--kills", type=int, default=100)
    arguments.add_argument("--seed", type=int, default=1)
    return arguments.parse_args()


class Server(http.server.ThreadingHTTPServer):
    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request, client_address):
        pass  # a killed daemon leaves its connections as they are


def serve(handler, port=0):
    """A server on loopback that answers until `leave`; port 0 is any that is free."""
    server = Server(("127.0.0.1", port), handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    return server


def leave(server):
    server.shutdown()
    server.server_close()


def start(binary, configuration):
    return subprocess.Popen(
        [binary, "run", "--config", configuration], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def stop(daemon):
    daemon.terminate()
    daemon.wait()


def run_and_kill(options, configuration, before_kill=lambda kill: None, after_start=lambda kill: None):
    """Starts a daemon and kills it so many times, each time after up to 4 seconds. Returns the one that lives on."""
    dice = random.Random(options.seed)
    victim = start(options.binary, configuration)
    for kill in range(options.kills):
        before_kill(kill)
        time.sleep(dice.uniform(0.05, 4))
        victim.send_signal(signal.SIGKILL)
        victim.wait()
        victim = start(options.binary, configuration)
        after_start(kill)
    return victim


def ask(folder, question):
    """The rows that the database in this folder answers with."""
    with sqlite3.connect(f"file:{folder}/history.db?mode=ro", uri=True) as database:
        return database.execute(question).fetchall()
