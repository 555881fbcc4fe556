#!/usr/bin/env python3
"""Takes the pictures of the README, light and dark, from the page of `pricewatch demo` while an alert fires.

    Tests/Page/screenshots.py [--binary .build/debug/pricewatch] [--pictures docs/pictures]
"""
import argparse
import datetime
import json
import os
import tempfile
import urllib.error
import urllib.request

from browser import Browser
from stage import Program, wait_for

MOST_BYTES = 150_000
LENGTH = 270  # seconds of prices: nearly all of the 5 minutes that the page then shows


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--binary", default=".build/debug/pricewatch")
    arguments.add_argument("--pictures", default="docs/pictures")
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        browser, demo = Browser(), Program([options.binary, "demo", "--for", "10m"], folder)
        try:
            address = demo.address()

            def is_lively():
                try:
                    with urllib.request.urlopen(address + "status.json") as answer:
                        status = json.load(answer)
                except urllib.error.HTTPError:
                    return False  # nothing is recorded yet
                if not status["started_at"] or not status["alerts"]["firing"] or status["state"] != "ok":
                    return False
                started, written = (datetime.datetime.fromisoformat(status[key].replace("Z", "+00:00"))
                                    for key in ("started_at", "written_at"))
                return (written - started).total_seconds() > LENGTH

            wait_for(is_lively, "an alert after some minutes of prices", patience=2 * LENGTH)
            browser.open(address)
            for scheme in ("light", "dark"):
                browser.become(960, scheme)
                path = os.path.join(options.pictures, f"page-{scheme}.png")
                browser.picture(path)
                size = os.path.getsize(path)
                print(f"{path}: {size} bytes")
                assert size < MOST_BYTES, f"{path} has more than {MOST_BYTES} bytes"
        finally:
            demo.end()
            browser.quit()


if __name__ == "__main__":
    main()
