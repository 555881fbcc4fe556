#!/usr/bin/env python3
"""Looks at the page in headless Chromium, scene by scene: axe-core, the console, what is too wide, too small or covered,
what the keyboard reaches, and what comes out of a printer. Leaves a picture of everything.

    Tests/Page/look.py [--binary .build/debug/pricewatch] [--pictures .build/page] [--scene NAME]… [--few]

With --few each page is looked at twice, wide and light and on a phone in the dark, and only the main pages are.
"""
import argparse
import os
import sys
import tempfile
import time
import urllib.request

from browser import Browser
from scenes import SCENES, past

LOOKS = [(width, scheme) for width in (1280, 390) for scheme in ("light", "dark")]
FEW = [LOOKS[0], LOOKS[3]]
POLICY = "default-src 'none'; style-src 'self'; img-src 'self' data:"


def pages(market):
    """Paths, each with the name of its picture; those without one are looked at on a phone alone."""
    return [("/", "home"), (f"/m/{market}", "market"), (f"/m/{market}?window=1y", "year"), ("/alerts", "alerts"),
            ("/status", "status"), (f"/m/{market}?window=7d", None), (f"/m/{market}?window=30d", None),
            ("/?sort=change", None), ("/?sort=age&state=stale", None), ("/?refresh=60", None),
            ("/alerts?since=30d", None), ("/there-is-no-such-page", None)]


def look_at(scene, browser, options, folder, memory):
    """Returns how many pages were looked at, and what is wrong with them."""
    stage = scene(options.binary, os.path.join(folder, scene.__name__), memory)
    count, faults = 0, []
    try:
        address = stage.serve()
        with urllib.request.urlopen(address + "/") as answer:
            if not answer.headers["Content-Security-Policy"].startswith(POLICY):
                faults.append("the policy is not sent")
        for path, name in pages("pepe" if scene.__name__ == "dust" else "bitcoin"):
            if options.few and not name:
                continue
            for width, scheme in (FEW if options.few else LOOKS) if name else LOOKS[2:3]:
                browser.become(width, scheme)
                found = browser.open(address + path)
                for ask in (browser.overflow, browser.chart_faults, browser.foreign, browser.violations):
                    found += ask()
                if name:
                    browser.picture(os.path.join(options.pictures, f"{scene.__name__}-{name}-{width}-{scheme}.png"))
                if scheme == "light":
                    browser.open(address + path)
                    found += browser.unreached()
                faults += [f"{path} at {width} pixels, {scheme}: {fault}" for fault in found]
                count += 1
            browser.become(320, motion="reduce")
            browser.open(address + path)
            found = browser.overflow() + browser.motion()
            faults += [f"{path} at 320 pixels, without motion: {fault}" for fault in found]
        faults += printed(browser, address)
    finally:
        stage.end()
    return count, [f"{scene.__name__}: {fault}" for fault in faults]


def printed(browser, address):
    browser.become(1280, "dark")
    browser.open(address + "/")
    wanted = browser.ask("return [...document.querySelectorAll('h1, tbody th')].map(e => e.innerText.trim())")
    text = "".join(browser.print().split())
    faults = [f"print lacks {words}" for words in wanted if words.isascii() and "".join(words.split()) not in text]
    return faults + [f"print has {words}" for words in ("refresh every minute", "Status") if words.replace(" ", "") in text]


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--binary", default=".build/debug/pricewatch")
    arguments.add_argument("--pictures", default=".build/page")
    arguments.add_argument("--scene", action="append")
    arguments.add_argument("--few", action="store_true")
    options = arguments.parse_args()
    os.makedirs(options.pictures, exist_ok=True)
    browser = Browser()
    try:
        with tempfile.TemporaryDirectory(prefix="pricewatch-page-") as folder:
            memory = past(options.binary, os.path.join(folder, "past"))
            total, faults = 0, []
            for scene in SCENES:
                if options.scene and scene.__name__ not in options.scene:
                    continue
                start = time.monotonic()
                count, found = look_at(scene, browser, options, folder, memory)
                print(f"{scene.__name__}: {count} looks, {len(found)} faults, {time.monotonic() - start:.0f} s", flush=True)
                for fault in found:
                    print("  " + fault, flush=True)
                total, faults = total + count, faults + found
    finally:
        browser.quit()
    print(f"{total} looks at {len(options.scene or SCENES)} scenes, {len(faults)} faults; pictures in {options.pictures}")
    sys.exit(1 if faults or not total else 0)


if __name__ == "__main__":
    main()
