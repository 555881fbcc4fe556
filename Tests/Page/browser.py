"""Headless Chromium, and what is asked of every page in it."""
import base64
import io
import os

import axe_playwright_python
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
import pypdf

from stage import PATIENCE

AXE = os.path.join(os.path.dirname(axe_playwright_python.__file__), "axe.min.js")


class Browser:
    def __init__(self):
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        options.add_argument("--headless=new")
        options.add_argument("--hide-scrollbars")
        options.add_argument("--disable-dev-shm-usage")
        if os.geteuid() == 0:
            options.add_argument("--no-sandbox")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        self.driver.set_script_timeout(PATIENCE)
        with open(AXE) as file:
            self.axe = file.read()

    def command(self, name, **values):
        return self.driver.execute_cdp_cmd(name, values)

    def ask(self, script, *values):
        return self.driver.execute_script(script, *values)

    def become(self, width, scheme="light", motion="no-preference"):
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=844, deviceScaleFactor=1,
                     mobile=width < 600)
        self.command("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": motion}])

    def open(self, address):
        """Returns what the console says against the page."""
        self.driver.get_log("browser")
        self.driver.get(address)
        return [entry["message"] for entry in self.driver.get_log("browser")
                if not (entry["source"] == "network" and f"{address} - " in entry["message"] + " - ")]

    def picture(self, path):
        width, height = self.ask("return [innerWidth, Math.ceil(document.documentElement.getBoundingClientRect().height)]")
        clip = {"x": 0, "y": 0, "width": width, "height": min(height, 4000), "scale": 1}
        shot = self.command("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))

    # What is found: each returns a list of faults.

    def violations(self):
        self.ask(self.axe)
        found = self.driver.execute_async_script("""
            const done = arguments[arguments.length - 1]
            axe.run(document, {preload: false, resultTypes: ["violations"],
                rules: {"target-size": {enabled: true}}}).then(r => done(r.violations), e => done(String(e)))""")
        if isinstance(found, str):
            return [found]
        return [f"axe {rule['id']} ({rule['impact']}): {node['html'][:150]}: {node['failureSummary']}"
                for rule in found for node in rule["nodes"][:3]]

    def overflow(self):
        """What makes the page scroll sideways."""
        return self.ask("""
            const page = document.documentElement
            if (page.scrollWidth <= page.clientWidth) return []
            return [...document.querySelectorAll("body *")]
                .filter(e => e.getBoundingClientRect().right > page.clientWidth + 1 && !e.closest(".scroll, svg"))
                .map(e => "wider than the screen: " + e.outerHTML.slice(0, 120)).concat("scrolls sideways").slice(0, 3)""")

    def chart_faults(self):
        """Text of a chart that is too small, is cut, or lies on other text."""
        return self.ask("""
            const faults = []
            const texts = [...document.querySelectorAll("figure svg text")]
                .filter(t => t.getClientRects().length).map(t => [t.textContent, t.getBoundingClientRect()])
            texts.forEach(([text, box], i) => {
                if (box.height < 10.5) faults.push(`chart: ${text} is ${box.height} pixels high`)
                if (box.left < 0 || box.right > innerWidth) faults.push(`chart: ${text} is cut`)
                for (const [other, place] of texts.slice(i + 1))
                    if (box.left < place.right - 1 && place.left < box.right - 1
                        && box.top + 3 < place.bottom - 3 && place.top + 3 < box.bottom - 3)
                        faults.push(`chart: ${text} lies on ${other}`)
            })
            return faults.slice(0, 5)""")

    def foreign(self):
        """Elements and attributes that the page does not have."""
        return self.ask("""
            const foreign = document.querySelectorAll("script, iframe, img, b, form, [onerror], [style]")
            return [...foreign].map(e => "foreign: " + e.outerHTML.slice(0, 100))""")

    def motion(self):
        return self.ask("""
            const moves = [...document.querySelectorAll("*")].filter(e => {
                const style = getComputedStyle(e)
                return style.scrollBehavior != "auto" || parseFloat(style.transitionDuration) > 0
            })
            return moves.concat(document.getAnimations()).map(e => "moves: " + (e.outerHTML || e).slice(0, 100))""")

    def unreached(self):
        """What the keyboard does not reach, or reaches invisibly."""
        wanted = self.ask("""
            window.wanted = [...document.querySelectorAll("a[href], [tabindex]")]
                .filter(e => e.getClientRects().length)
            return window.wanted.length""")
        self.command("Page.bringToFront")
        seen, faults = set(), []
        for _ in range(wanted + 1):
            for kind in ("rawKeyDown", "keyUp"):
                self.command("Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab", windowsVirtualKeyCode=9)
            place, outline, html = self.ask("""
                const e = document.activeElement, style = getComputedStyle(e), box = e.getBoundingClientRect()
                const isSeen = style.outlineStyle != "none" && parseFloat(style.outlineWidth) >= 2
                    && box.width > 0 && box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth
                return [window.wanted.indexOf(e), isSeen, e.outerHTML.slice(0, 120)]""")
            seen.add(place)
            if place >= 0 and not outline:
                faults.append(f"focused invisibly: {html}")
        missing = set(range(wanted)) - seen
        return faults + [f"Tab does not reach {len(missing)} of {wanted} elements"] * bool(missing)

    def print(self):
        """The page's text on paper."""
        printed = self.command("Page.printToPDF", printBackground=False)
        reader = pypdf.PdfReader(io.BytesIO(base64.b64decode(printed["data"])))
        return "\n".join(page.extract_text() for page in reader.pages)

    def quit(self):
        self.driver.quit()
