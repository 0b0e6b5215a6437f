"""A person at a page, by mouse, touch or keyboard, with the input events of the browser itself."""

import json
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from random import Random

from browser.window import PATIENCE_S
from selenium.common.exceptions import TimeoutException

KEYS = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Enter": 13}
CENTRE = """(() => {{
  const node = document.querySelector({selector});
  node.scrollIntoView({{block: "nearest", behavior: "instant"}});
  const box = node.getBoundingClientRect();
  return [box.left + box.width / 2, box.top + box.height / 2];
}})()
"""
# Buttons of the choices by their texts.
CHOICES = "[...document.querySelectorAll('.choices button')].map((button) => button.textContent)"
IS_TURN = "window.arbiterPage && (arbiterPage.setup || arbiterPage.turn?.question || arbiterPage.game?.over)"


@contextmanager
def open_table(folder, *words):
    """Run `arbiter play` with a page; yield its process and the addresses."""
    command = [sys.executable, "-m", "arbiter", "play", *words, "--at", "0", "--record", str(folder / "game.jsonl")]
    process = subprocess.Popen(
        command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        addresses = []
        while not (line := process.stdout.readline()).startswith("each"):
            assert line, process.stderr.read()
            addresses += [word for word in line.split() if word.startswith("http")]
        yield process, addresses
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE_S)


def read_game(folder):
    """Return the record of the game as bytes; it is written after the page has shown the end."""
    path = folder / "game.jsonl"
    limit = time.monotonic() + PATIENCE_S
    while not path.exists():
        assert time.monotonic() < limit, f"{path} is not written within {PATIENCE_S} s"
        time.sleep(0.05)
    return path.read_bytes()


class Person:
    """A person at a page."""

    def __init__(self, window, hand, seed=1):
        self.window = window
        self.hand = hand
        self.chance = Random(seed)

    # --- input ------------------------------------------------------------------------------------

    def cdp(self, command, **options):
        self.window.driver.execute_cdp_cmd(command, options)

    def tap(self, selector):
        """Press an element by mouse or touch."""
        x, y = self.window.evaluate(CENTRE.format(selector=json.dumps(selector)))
        if self.hand == "touch":
            self.cdp("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
            self.cdp("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
            return
        for kind in ("mousePressed", "mouseReleased"):
            self.cdp("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def key(self, name):
        for kind in ("keyDown", "keyUp"):
            text = {"text": "\r"} if name == "Enter" and kind == "keyDown" else {}
            self.cdp("Input.dispatchKeyEvent", type=kind, key=name, code=name, windowsVirtualKeyCode=KEYS[name], **text)

    def press(self, place, grid=".playing"):
        """Press a square: a tap, or the arrows and Enter."""
        if self.hand != "keyboard":
            self.tap(f"{grid} [data-place='{place}']")
            return
        owner = "arbiterPage.grid" if grid == ".playing" else "arbiterPage.setup.grid"
        if not self.window.evaluate(f"!!document.activeElement.closest('{grid} .cells')"):
            self.window.driver.execute_script(f"{owner}.focus()")
        find = f"{owner}.rows.flatMap((row, y) => row.map((place, x) => [place, x, y]))"
        spots = {name: (x, y) for name, x, y in self.window.evaluate(find)}
        x, y = spots[self.window.evaluate(f"{owner}.focused")]
        to_x, to_y = spots[place]
        for name, count in [
            ("ArrowUp", y - to_y),
            ("ArrowDown", to_y - y),
            ("ArrowLeft", x - to_x),
            ("ArrowRight", to_x - x),
        ]:
            for _ in range(count):
                self.key(name)
        self.key("Enter")

    def choose(self, number):
        """Press a button of the choices."""
        self._press_button(f".choices button:nth-of-type({number + 1})")

    def button(self, key):
        """Press a button by its key."""
        selector = f"[data-key={key}]"
        self.window.wait(f"document.querySelector('{selector}')?.offsetParent")
        self._press_button(selector)

    def _press_button(self, selector):
        if self.hand == "keyboard":
            self.window.driver.execute_script(f"document.querySelector({json.dumps(selector)}).focus()")
            self.key("Enter")
        else:
            self.tap(selector)

    def open_choices(self, place):
        """Press the square of a hidden piece until its choices are open: a press is lost if the board moves meanwhile."""
        is_open = "document.querySelector('.choices .sign')"
        for _ in range(12):
            if self.window.evaluate(f"Boolean({is_open})"):
                return
            self.press(place)
            with suppress(TimeoutException):
                self.window.wait(is_open, 5)
        raise AssertionError(f"no choices of {place}: {self.window.evaluate('document.body.innerText')}")

    # --- the game ---------------------------------------------------------------------------------

    def wait_for_turn(self):
        self.window.wait(IS_TURN)

    def page(self, expression):
        return self.window.evaluate(f"arbiterPage.{expression}")

    @property
    def is_over(self):
        return self.page("game?.over") is not None

    @property
    def is_asked(self):
        """True if the person has to deploy, or to choose an action."""
        return self.is_deploying or self.window.evaluate("Boolean(arbiterPage.turn?.question)")

    @property
    def is_deploying(self):
        return self.window.evaluate("Boolean(arbiterPage.setup)")

    def open(self, address):
        """Open the link of an invitation, and wait for the game."""
        self.window.driver.get(address)
        self.window.wait("location.hash === '' && window.arbiterPage")

    def deploy(self):
        """Deploy what the page proposes; in the card game, random cards."""
        if self.page("setup.start.disabled"):
            self.button("style_random")
        self.button("begin")

    def play(self, most=10_000):
        """Answer questions until the game is over, or so many of them; return the number of actions."""
        for number in range(most):
            self.wait_for_turn()
            if self.is_over:
                return number
            if self.is_deploying:
                self.deploy()
                self.window.wait("!arbiterPage.setup")
            else:
                self.act()
        return most

    def act(self, action=None):
        """Play an action, by default one of the person's choice."""
        asked = self.page("turn.question.ask")
        self.perform(action or self.prefer(self.page("turn.legal()")))
        self.window.wait(f"arbiterPage.turn.question?.ask !== {asked}")

    def prefer(self, legal):
        """Choose an action: often an attack or a power, so that games end."""
        eager = [action for action in legal if action["type"] not in ("move", "stop")]
        attacks = [action for action in legal if action["type"] == "move" and self.is_attack(action)]
        for actions in (attacks, eager):
            if actions and self.chance.random() < 0.6:
                return self.chance.choice(actions)
        return self.chance.choice(legal)

    def is_attack(self, action):
        return self.page(f"game.rules.board && !!arbiterPage.game.knowledge.find(null, '{action['dst']}')")

    def perform(self, action):
        """Carry out an action with the controls of the page."""
        mine, theirs = self.page("game.seat"), self.page("game.foe")
        is_board = self.page("game.rules.board") is not None

        def key(seat, place):
            return place if is_board else f"{seat}/{place}"

        kind = action["type"]
        if kind == "fill":
            for slot, card in action["cards"].items():
                self.press(key(mine, card))
                self.press(key(mine, slot))
            return
        if kind == "rescue":
            ranks = list(dict.fromkeys(one["rank"] for one in self.page("turn.legal()") if "rank" in one))
            self.choose(ranks.index(action["rank"]))
        elif "src" in action and self.page("turn.selected") != key(mine, action["src"]):
            self.press(key(mine, action["src"]))
        if "dst" in action:
            self.press(key(mine if kind == "rescue" else theirs, action["dst"]))
            if not self.page("turn.question") or self.page("turn.options") is None:
                return
            number = self.page("turn.options").index(action)
        else:
            self.window.wait(f"{CHOICES}.length")
            named = self.page(f"turn.name({json.dumps(action)})")
            names = self.window.evaluate(CHOICES)
            number = names.index(named) if named in names else len(names) - 1
        self.window.wait(f"{CHOICES}.length")
        self.choose(number)
