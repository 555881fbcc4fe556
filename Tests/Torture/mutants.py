#!/usr/bin/env python3
"""Bad input: bodies, configurations, database files and requests, mutated from good ones.

    Tests/Torture/mutants.py [--minutes 1] [--seed N] [--binary PROGRAM]

Most of it is done in process, by the suites `Mutated…Tests`, which say what must hold; here they are told how many and
from which seed. Configurations, words of the command line and raw requests to the page go through the program, too: no
crash, and no exit code but those of the manual."""
import os
import re
import socket
import subprocess
import time

import stage

TESTS = stage.ROOT / ".build/debug/pricewatchPackageTests.xctest"
# Suite, what is counted, how many a minute of a slow machine, share of the time.
SUITES = [
    ("MutatedBodyTests", "BODIES", 20_000, 0.30),
    ("MutatedConfigurationTests", "CONFIGURATIONS", 3_000, 0.25),
    ("MutatedDatabaseTests", "DATABASES", 300, 0.20),
    ("MutatedRequestTests", "REQUESTS", 1_500, 0.05),
]
GOOD = (stage.ROOT / "etc/pricewatch.yaml").read_bytes().replace(b"\n#", b"\n")
WORDS = [
    b"\x00", b"\xff", b"\xed\xa0\x80", "\u0301".encode(), "\u202e".encode(), b"1e400", b"-1", b"99999999999999999999", b"null", b"~",
    b"[", b"]", b"{", b"}", b": ", b"- ", b"&a ", b"*a", b"<<: *a", b"\n", b"  ", b"\t", b"#", b"!!binary ", b"%YAML 9.9\n", b"---\n",
    b"watch: ", b"alerts:\n", b"every: 0s", b"_file: /dev/zero", b"_env: PATH", b"0.1%", b"365000d", b"2GiB", b"'", b'"', b"x" * 300,
]


def mutate(dice, good):
    data = bytearray(good)
    for _ in range(dice.randint(1, 5)):
        place = dice.randint(0, len(data))
        end = min(len(data), place + dice.randint(1, 20))
        kind = dice.randint(0, 4)
        if kind == 0:
            del data[place:end]
        elif kind == 1:
            data[place:end] = dice.choice(WORDS)
        elif kind == 2 and place < len(data):
            data[place] ^= 1 << dice.randint(0, 7)
        elif kind == 3:
            data[place:place] = data[place:end]
        else:
            data[place:place] = dice.choice(WORDS)
    return bytes(data)


def in_process(part, suite, what, number):
    log = part.folder / f"last-{what.lower()}"
    env = {**os.environ, f"PRICEWATCH_MUTATED_{what}": str(number), "PRICEWATCH_MUTATION_SEED": str(part.seed),
           "PRICEWATCH_MUTATION_LOG": str(log)}
    ended = subprocess.run(
        [TESTS, "--testing-library", "swift-testing", "--no-parallel", "--filter", suite], env=env, text=True,
        errors="replace", capture_output=True)
    if " 0 tests in 0 suites" in ended.stdout + ended.stderr:
        print(f"{suite} is not in this build: swift build --build-tests")
        return
    if ended.returncode != 0:
        issues = [line for line in ended.stdout.splitlines() if "recorded an issue" in line]
        part.found(f"{suite}, exit {ended.returncode}: " + "\n".join(issues[:5] or [ended.stdout[-600:], ended.stderr[-600:]]))
    part.count(what.lower() + " in process", number)


def configurations(part, end):
    """`check` of mutated files: taken or refused, each fault with its place."""
    path = part.folder / "p.yaml"
    while time.monotonic() < end and part.goes_on():
        good = part.dice.choice([GOOD, b"watch: {markets: [bitcoin]}\nalerts:\n  - {name: a, market: bitcoin, above: 1, for: 5m}\n"])
        path.write_bytes(mutate(part.dice, good))
        code, output, errors = stage.command(part, "check", "--config", path)
        part.count("configurations through the program")
        part.count(f"check ended with {code}")
        faults = [line for line in errors.splitlines() if line.strip()]
        placed = all(re.match(r".*p\.yaml(:\d+:\d+: |: (not UTF-8|larger|.*zero))", line) for line in faults)
        if code not in (0, 78) or (code == 78 and not (faults and placed)):
            keep(part, path)
            part.found(f"check of {path.name}: exit {code}: {errors[:500]}")


def keep(part, path):
    (part.folder / f"kept-{len(part.findings)}.yaml").write_bytes(path.read_bytes())


def command_line(part, end):
    """Words of silences and other commands, mutated."""
    configuration = part.folder / "good.yaml"
    configuration.write_text(
        f"watch: {{markets: [bitcoin]}}\nfeeds: [{{provider: coingecko, url: \"http://127.0.0.1:9\"}}]\n"
        f"poll: {{retry: {{attempts: 1}}}}\nhistory: {{database: {part.folder}/history.db, backfill: null}}\n"
        f"log: {{file: {part.folder}/log}}\nstatus_file: {part.folder}/status.json\n"
        f"alerts: [{{name: a, market: bitcoin, above: 1}}]\n")
    stage.command(part, "run", "--once", "--config", configuration)
    good = [["silence", "a", "2h"], ["silence", "--all", "--market", "bitcoin", "1h30m"], ["unsilence", "a"], ["silence"],
            ["history", "bitcoin", "--since", "24h"], ["history", "bitcoin", "--every", "1h", "--format", "csv"],
            ["alerts", "--since", "2026-11-21T10:00:00Z"], ["summary", "--window", "24h"], ["chart", "bitcoin", "--since", "7d"],
            ["rehearse", "--since", "30d", "--rule", "a"], ["forget", "bitcoin", "--before", "1d", "--yes"], ["status", "--json"]]
    while time.monotonic() < end and part.goes_on():
        words = [word.encode() for word in part.dice.choice(good)]
        place = part.dice.randrange(1, len(words) + 1)
        words[place - 1 if place == len(words) else place] = mutate(part.dice, words[-1]).replace(b"\0", b"")
        ended = subprocess.run(
            [bytes(part.binary), *words, b"--config", bytes(configuration)], capture_output=True, timeout=60,
            env={**os.environ, "HOME": str(part.folder)}, stdin=subprocess.DEVNULL)
        part.count("command lines")
        known = (0, 1, 2, 3) if words[0] == b"status" else (0,)
        if ended.returncode not in (*known, 64, 65, 69, 74, 78):
            part.found(f"{words}: exit {ended.returncode}: {ended.stderr[-500:]}")
        if b"\x1b" in ended.stderr + ended.stdout:
            part.found(f"{words}: an escape reaches the terminal")
        if stray := [path.name for path in part.folder.iterdir() if path.name.startswith("history.db.damaged")]:
            part.found(f"{words}: {stray}")


def requests(part, end):
    """Raw requests to the page; between them a good one must be answered."""
    configuration = part.folder / "good.yaml"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    web = stage.spawn([part.binary, "web", "--listen", f"127.0.0.1:{port}", "--config", configuration])
    good = b"GET /m/bitcoin?window=7d HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n"

    def ask(data, patience):
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=patience) as client:
                client.settimeout(patience)
                client.sendall(data)
                client.shutdown(socket.SHUT_WR)
                return client.recv(65536)
        except (ConnectionError, TimeoutError):
            return b""

    begun = time.monotonic()
    while not ask(good, 5) and time.monotonic() < begun + 20:
        time.sleep(0.1)
    while time.monotonic() < end and part.goes_on():
        answer = ask(mutate(part.dice, good), 0.5)
        part.count("raw requests")
        if answer and not re.match(rb"HTTP/1\.[01] (200|304|400|404|405|408|411|413|414|417|421|431|501|505) ", answer):
            part.found(f"answered {answer[:100]}")
        if part.counts["raw requests"] % 50 == 0 and not ask(good, 10).startswith((b"HTTP/1.1 200", b"HTTP/1.1 404")):
            part.found(f"no answer after {part.counts['raw requests']} raw requests, exit {web.poll()}")
            break
    if web.poll() is not None:
        part.found(f"the page ended with {web.returncode}")
    stage.stop(web)


def main():
    part = stage.Part(__doc__)
    if TESTS.exists():
        for suite, what, rate, share in SUITES:
            in_process(part, suite, what, max(100, int(rate * share * part.minutes)))
    else:
        print("the tests are not built (swift build --build-tests): nothing is mutated in process")
    begun, rest = time.monotonic(), max(6, part.end - time.monotonic(), part.minutes * 12)
    part.end = begun + rest + 60
    configurations(part, begun + rest * 0.6)
    command_line(part, begun + rest * 0.8)
    requests(part, begun + rest)
    part.over()


main()
