#!/usr/bin/env python3
"""make torture: what a year of use would find, found in MINUTES.

    Tests/Torture/run.py [--minutes 5] [--seed N] [--only PART,PART] [--binary PROGRAM] [--jobs 2]

Each part is a program of its own, with a share of the time and the same options; each prints its seed, what it counted
and, as `DEFECT`, what it found. With the seed of a part alone its chances are the same again, not the moments at which
two processes meet. Exits with 1 where a part found something, or ended otherwise than it should."""
import argparse
import concurrent.futures
import json
import pathlib
import random
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent

# Program, its share of the time, and what it is about. The longest stand first, so that no part is left over.
PARTS = {
    "mutants": (HERE / "mutants.py", 5, "bodies, configurations, databases and requests, mutated from good ones"),
    "model": (HERE / "model.py", 4, "rules and all that delays messages, against the manual's model"),
    "daemon": (HERE / "daemon.py", 4, "the same with a daemon that lives through months"),
    "whole_polls": (HERE / "whole_polls.py", 4, "killed while writing, pruning, in backup, restore, reload, migration"),
    "power_loss": (HERE / "power_loss.py", 3, "the power cut after any write"),
    "same_events": (HERE / "same_events.py", 3, "the same events as a daemon that is not killed"),
    "deliveries": (HERE / "deliveries.py", 3, "each message arrives, under one key, though receivers and daemon fail"),
    "world": (HERE / "world.py", 4, "faults of provider, disk, clock and machine, in random order"),
    "scale": (HERE / "scale.py", 2, "17,000 markets, 1,000 rules, 10,000 messages, 20 readers"),
    "soak": (HERE / "soak.py", 3, "very many polls: nothing grows"),
    "torn_reports": (HERE / "torn_reports.py", 1, "no report is put together from two moments"),
}


def play(name, minutes, options):
    """Runs one part. What it said last, as JSON, with its seconds."""
    program = PARTS[name][0]
    arguments = [sys.executable, program, "--minutes", f"{minutes:.2f}", "--seed", str(options.seed)]
    if options.binary:
        arguments += ["--binary", options.binary]
    began, last = time.monotonic(), ""
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    said = []
    for line in process.stdout:
        said.append(line)
        if line.startswith("DEFECT"):
            print(line, end="", flush=True)
    code = process.wait()
    try:
        last = json.loads(said[-1])
    except (IndexError, ValueError):
        last = {"counts": {}, "findings": 0, "ended": "".join(said[-30:])}
    if code != (1 if last["findings"] else 0):
        last["ended"] = f"exit {code}: " + "".join(said[-30:])
    return {**last, "seconds": round(time.monotonic() - began), "said": said}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1_000_000))
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--binary")
    parser.add_argument("--jobs", type=int, default=2, help="parts at a time; most of them wait most of the time")
    options = parser.parse_args()
    names = [name for name in PARTS if name in options.only.split(",")]
    shares = sum(PARTS[name][1] for name in names)
    print(f"seed {options.seed}, {options.minutes:g} minutes: make torture MINUTES={options.minutes:g} SEED={options.seed}")
    failed = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        plays = {
            name: pool.submit(play, name, options.minutes * options.jobs * PARTS[name][1] / shares, options)
            for name in names}
        for name, running in plays.items():
            result = running.result()
            print(f"\n{name}: {PARTS[name][2]} ({result['seconds']} s)")
            if "skipped" in result:
                print(f"  SKIPPED: {result['skipped']}")
            for what, number in result["counts"].items():
                print(f"  {number:>12,} {what}" if isinstance(number, int) else f"  {number:>12} {what}")
            if result["findings"] or "ended" in result:
                failed.append(name)
                print("".join(result["said"][-40:]) if result["findings"] else result["ended"])
            sys.stdout.flush()
    print(f"\n{'nothing was found' if not failed else 'FOUND SOMETHING: ' + ', '.join(failed)} (seed {options.seed})")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
