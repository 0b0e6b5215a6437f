"""A Chromium window controlled by Selenium."""

import base64
import json
import os
import shutil
import signal
import subprocess
import time
from contextlib import contextmanager

from selenium.common.exceptions import TimeoutException
from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains

CHROMIUM = ("chromium-headless-shell", "chromium")
"""The first that is installed.  The shell draws the same pages, and needs about half of the processor time."""
DRIVER = "chromedriver"
FLAGS = (
    "--headless",
    "--no-sandbox",  # Chromium has no sandbox as root
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-background-timer-throttling",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--remote-debugging-port=0",  # any that is free
)
PATIENCE_S = 60
SCRIPT_PATIENCE_S = 300  # a script may step through a whole game
DESKTOP = (1280, 900)

# The pieces on the board, each by its square: its data, its text and its title.
DRAWN = """
[...document.querySelectorAll("#viewer .piece")].map((piece) => [piece.dataset.place, [
  piece.dataset.piece, piece.querySelector("text").textContent, piece.querySelector("title").textContent]])
"""
# The board and the texts of each frame from the first to the last, stepping with the arrow key.
STEP_THROUGH = f"""
const frames = [];
const press = (key) => document.body.dispatchEvent(new KeyboardEvent("keydown", {{key, bubbles: true}}));
press("Home");
for (let number = 0; number <= Number(document.querySelector("#viewer input[type=range]").max); number++) {{
  const texts = (name) => [...document.querySelectorAll(".texts ." + name)].map((line) => line.textContent);
  frames.push({{frame: Number(document.querySelector("#viewer").dataset.frame), drawn: {DRAWN}, story: texts("story"),
    end: texts("end"), notes: texts("bot-note")}});
  press("ArrowRight");
}}
return frames;
"""
HIDE = """
Object.defineProperty(document, "hidden", {value: true});
document.dispatchEvent(new Event("visibilitychange"));
window.stop();
"""
# Pages ask their server again, and draw, after a tenth of a second at the latest.
HASTEN = """
const later = window.setTimeout;
window.setTimeout = (work, ms, ...rest) => later(work, Math.min(ms, 100), ...rest);
"""
MARGIN = 10  # pixels above and below the elements of a picture


def bounding_box(selector):
    """Return a JavaScript expression for the position of an element in the window."""
    return f"document.querySelector({json.dumps(selector)}).getBoundingClientRect()"


class Window:
    """A browser window with its own profile, a path.  Raise `FileNotFoundError` if no browser is installed."""

    def __init__(self, profile):
        chromium = next(filter(None, map(shutil.which, CHROMIUM)), None)
        driver = shutil.which(DRIVER)
        if chromium is None or driver is None:
            raise FileNotFoundError(f"{' or '.join(CHROMIUM)}, and {DRIVER}, are needed; install them")
        # Started here, because the shell opens no page if the driver starts it.
        command = [chromium, *FLAGS, f"--user-data-dir={profile}", "about:blank"]
        self._browser = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        options = ChromeOptions()
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        try:
            options.debugger_address = f"127.0.0.1:{self._wait_for_port(profile)}"
            self.driver = Chrome(options=options, service=Service(driver))
        except BaseException:
            self._kill()
            raise
        self.driver.set_script_timeout(SCRIPT_PATIENCE_S)

    def _wait_for_port(self, profile):
        """Return the port of the browser, which it writes to its profile."""
        path = profile / "DevToolsActivePort"
        limit = time.monotonic() + PATIENCE_S
        while not (path.exists() and path.read_text().count("\n")):
            assert self._browser.poll() is None, f"the browser has ended with exit status {self._browser.returncode}"
            assert time.monotonic() < limit, f"the browser has not started within {PATIENCE_S} s"
            time.sleep(0.02)
        return int(path.read_text().split("\n")[0])

    def reset(self):
        """Close the page; set the size of a desktop and light colours; forget console messages."""
        self.driver.get("about:blank")
        self.resize(*DESKTOP)
        self.set_colour_scheme("light")
        self.console_messages()

    def open_file(self, path, fragment=""):
        """Open a page from the disk."""
        self.driver.get("about:blank")
        self.visit(path.as_uri() + fragment)

    def visit(self, address):
        """Open an address and wait until its game, if any, is loaded."""
        self.driver.get(address)
        self.wait("!document.querySelector('#viewer') || document.querySelector('#viewer.ready')")

    def leave(self):
        """Leave a page that listens to a server, so that the end of the server is no error on the console.

        A page that only becomes another one may close its connections later, so it is hidden first: then it closes them.
        """
        self.driver.execute_script(HIDE)
        self.driver.get("about:blank")

    def wait(self, condition, patience_s=PATIENCE_S):
        """Wait until a JavaScript condition is true."""
        limit = time.monotonic() + patience_s
        pause_s = 0.01
        while not self.evaluate(f"Boolean({condition})"):
            if time.monotonic() > limit:
                raise TimeoutException(f"{condition}: {self.evaluate('document.body?.innerText')}")
            time.sleep(pause_s)
            pause_s = min(2 * pause_s, 0.1)

    def evaluate(self, expression):
        """Return the value of a JavaScript expression."""
        return self.driver.execute_script(f"return {expression}")

    def run_script(self, script):
        """Run a script in the page, even if its Content Security Policy forbids scripts."""
        answer = self.driver.execute_cdp_cmd(
            "Runtime.evaluate", {"expression": script, "awaitPromise": True, "returnByValue": True}
        )
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    @contextmanager
    def run_before_pages(self, script):
        """Run a script at the start of each page, before its own scripts."""
        added = self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": script})
        yield
        self.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)

    def press(self, *keys):
        ActionChains(self.driver, duration=0).send_keys(*keys).perform()

    def step_through(self):
        """Return board, story, ending and notes of each frame of the game."""
        return self.driver.execute_script(STEP_THROUGH)

    def drawn_pieces(self):
        """Return the pieces on the board by square."""
        return dict(self.evaluate(f"({DRAWN})"))

    def shown_frame(self):
        """Return the number of the frame and the seat from which it is shown."""
        return self.evaluate(
            "[Number(document.querySelector('#viewer').dataset.frame), document.querySelector('#viewer').dataset.seat]"
        )

    def resize(self, width, height, scale=1):
        """Set the size of the page in CSS pixels, and the number of screen pixels for each."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": width < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def set_colour_scheme(self, scheme):
        """Set the colour scheme of the system: light or dark."""
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})

    def take_picture(self, first, last, quality=None):
        """Return the page from the top of one element to the bottom of another: as WebP of a quality, or as PNG."""
        self.driver.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
        top, bottom, width = self.evaluate(f"[{bounding_box(first)}.top, {bounding_box(last)}.bottom, innerWidth]")
        top = max(0, top - MARGIN)
        clip = {"x": 0, "y": top, "width": width, "height": bottom + MARGIN - top, "scale": 1}
        form = {"format": "png"} if quality is None else {"format": "webp", "quality": quality}
        options = {**form, "captureBeyondViewport": True, "clip": clip}
        return base64.b64decode(self.driver.execute_cdp_cmd("Page.captureScreenshot", options)["data"])

    def console_messages(self):
        """Return the messages on the console and clear it."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def close(self):
        self.driver.quit()
        self._kill()

    def _kill(self):
        os.killpg(self._browser.pid, signal.SIGKILL)
        self._browser.wait()
