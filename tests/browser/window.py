"""Chromium, driven: what a reader does, and what there is to see then."""

import base64
import json

from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.support.wait import WebDriverWait

CHROMIUM, DRIVER = "chromium", "chromedriver"
FLAGS = (
    "--headless=new",
    "--no-sandbox",  # which as root it does not have
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)
PATIENCE_S = 60
DESK = (1280, 900)

# All that is drawn: each piece as it is written and as a reader has it.
DRAWN = """
[...document.querySelectorAll("#viewer .piece")].map((piece) => [piece.dataset.place, [
  piece.dataset.piece, piece.querySelector("text").textContent, piece.querySelector("title").textContent]])
"""
# What is drawn in each frame from the first to the last, stepping by the key, and what is told of it.
STEP_THROUGH = f"""
const seen = [];
const press = (key) => document.body.dispatchEvent(new KeyboardEvent("keydown", {{key, bubbles: true}}));
press("Home");
for (let number = 0; number <= Number(document.querySelector("#viewer input[type=range]").max); number++) {{
  const told = (name) => [...document.querySelectorAll(".told ." + name)].map((line) => line.textContent);
  seen.push({{frame: Number(document.querySelector("#viewer").dataset.frame), drawn: {DRAWN}, story: told("story"),
    end: told("end"), notes: told("bot-note")}});
  press("ArrowRight");
}}
return seen;
"""
MARGIN = 10  # above and below what a picture shows


def box_of(selector):
    """Ask where on the window an element is."""
    return f"document.querySelector({json.dumps(selector)}).getBoundingClientRect()"


class Window:
    """A window of a browser with a profile of its own."""

    def __init__(self, chromium, driver, profile):
        options = ChromeOptions()
        options.binary_location = chromium
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = Chrome(options=options, service=Service(driver))

    def begin(self):
        """Leave what was open, on a desk, by day."""
        self.driver.get("about:blank")
        self.resize(*DESK)
        self.colours("light")
        self.complaints()

    def open(self, path, fragment=""):
        """Open a page from the disk, and wait until its game is there, if it has one."""
        self.driver.get("about:blank")
        self.visit(path.as_uri() + fragment)

    def visit(self, address):
        """Open an address, and wait until its game is there."""
        self.driver.get(address)
        self.wait("!document.querySelector('#viewer') || document.querySelector('#viewer.ready')")

    def wait(self, condition):
        """Wait until something holds."""
        WebDriverWait(self.driver, PATIENCE_S, poll_frequency=0.02).until(lambda _: self.ask(condition))

    def ask(self, expression):
        """Ask the page for the value of an expression."""
        return self.driver.execute_script(f"return {expression}")

    def run(self, script):
        """Run a script in the page, whatever its policy says of scripts."""
        found = self.driver.execute_cdp_cmd(
            "Runtime.evaluate", {"expression": script, "awaitPromise": True, "returnByValue": True}
        )
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def press(self, *keys):
        """Press keys."""
        ActionChains(self.driver, duration=0).send_keys(*keys).perform()

    def step_through(self):
        """Return what is to be seen of each frame of the game."""
        return self.driver.execute_script(STEP_THROUGH)

    def drawn(self):
        """Return the pieces that are drawn by their places."""
        return dict(self.ask(DRAWN))

    def shown(self):
        """Return the number of the frame that is shown, and for whom."""
        return self.ask(
            "[Number(document.querySelector('#viewer').dataset.frame), document.querySelector('#viewer').dataset.seat]"
        )

    def resize(self, width, height, scale=1):
        """Give the page so many pixels, each of them drawn by so many of the screen's, squared."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": width < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def colours(self, scheme):
        """Let the reader's system be light or dark."""
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})

    def picture(self, first, last, quality):
        """Return the page from the top of one element to the bottom of another as WebP, of a quality up to 100."""
        self.driver.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
        top, bottom, width = self.ask(f"[{box_of(first)}.top, {box_of(last)}.bottom, innerWidth]")
        top = max(0, top - MARGIN)
        clip = {"x": 0, "y": top, "width": width, "height": bottom + MARGIN - top, "scale": 1}
        how = {"format": "webp", "quality": quality, "captureBeyondViewport": True, "clip": clip}
        return base64.b64decode(self.driver.execute_cdp_cmd("Page.captureScreenshot", how)["data"])

    def complaints(self):
        """Return what the console holds, and forget it."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def close(self):
        """Close it."""
        self.driver.quit()
