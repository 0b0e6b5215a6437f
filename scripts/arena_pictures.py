"""Pictures of a club evening: a ladder with sample bots, an author who submits a bot, and a person at a phone."""

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec
from browser.player import Person
from browser.window import PATIENCE_S, Window
from cli.command_line import StartedArbiter, call_ok, write_tournament
from selenium.webdriver.common.by import By

PHONE: Final = (360, 740)
AUTHOR: Final = (760, 900)
QUALITY: Final = 70
NAMES: Final = ("arena-author.webp", "arena-organiser.webp", "arena-deploy.webp", "arena-fight.webp")
LADDER: Final = {
    "name": "Club evening",
    "rules": "duel",
    "format": "ladder",
    "deals": "separate",
    "bots": ("random", "hunter", "tracker", "kit", {"name": "anna", "kind": "person"}),
    "time": {"setup_s": 600, "bank_s": 900, "increment_s": 5},
    "submissions": {"open": True},
}
_IS_OVER: Final = "/passed|failed|refused/.test(document.querySelector('[data-number] .state')?.innerText)"
_FIGHT: Final = "Boolean(document.querySelector('.duel:not([hidden])'))"


def list_pictures(folder: Path, window: Window, set_dates: str) -> Iterator[tuple[str, bytes]]:
    """Play a ladder in a folder, and take all pictures; a script sets the dates on them."""
    file = write_tournament(folder, **LADDER)
    folder.chmod(0o755)  # the bots of authors play as other users
    bot = folder / "mybot.py"
    call_ok("new-bot", bot)
    with StartedArbiter("run", file, "--serve", 0, "--gateway", 0, "--sandbox", "full") as running:
        running.read_until("programs and people connect at")
        pages, gateway = (re.search(rf"{kind}://[^ /]+/", "\n".join(running.lines)) for kind in ("http", "ws"))
        if pages is None or gateway is None:
            raise SystemExit("scripts/pictures: `arbiter run` has printed no addresses")
        invited = call_ok("invite", file, "clara", "--submit", "--address", pages[0], "--json")
        link = call_ok("invite", file, "anna", "--address", gateway[0], "--json")
        yield "arena-author.webp", _show_author(window, msgspec.json.decode(invited)["page"], bot, set_dates)
        organiser = call_ok("invite", file, "eva", "--organise", "--address", pages[0], "--json")
        address = msgspec.json.decode(organiser)["address"]
        yield "arena-organiser.webp", _show_organiser(window, address, set_dates)
        yield from _show_person(window, msgspec.json.decode(link)["address"])


def _show_author(window: Window, page: str, bot: Path, set_dates: str) -> bytes:
    """Submit a bot, and take the picture of its check."""
    window.resize(*AUTHOR)
    window.driver.get(page)
    window.wait("document.body.dataset.ready === ''")
    window.driver.find_element(By.ID, "files").send_keys(str(bot))
    window.wait("document.getElementById('command').value")
    window.driver.find_element(By.CSS_SELECTOR, "form .main").click()
    _wait(window, _IS_OVER)
    window.run_script(set_dates)
    picture: bytes = window.take_picture("body", "[data-number]", QUALITY)
    return picture


def _show_organiser(window: Window, page: str, set_dates: str) -> bytes:
    """Take the picture of what an organiser can decide after the check of a program."""
    window.resize(*AUTHOR)
    window.driver.get(page)
    window.wait("document.body.dataset.ready === ''")
    window.run_script(set_dates)
    picture: bytes = window.take_picture("body", "#ban", QUALITY)
    return picture


def _show_person(window: Window, link: str) -> Iterator[tuple[str, bytes]]:
    """Deploy at a phone and play until a fight; take both pictures."""
    window.resize(*PHONE)
    person = Person(window, "touch")
    person.open(link)
    person.button("ready")
    _wait(window, "Boolean(arbiterPage.setup)")
    yield "arena-deploy.webp", window.take_picture(".top", "[data-key=style_random]", QUALITY)
    person.deploy()
    while not window.evaluate(_FIGHT):
        person.play(1)
    yield "arena-fight.webp", window.take_picture(".top", ".duel", QUALITY)


def _wait(window: Window, condition: str) -> None:
    """Wait for what depends on games of other bots."""
    until = time.monotonic() + PATIENCE_S
    while not window.evaluate(condition):
        if time.monotonic() > until:
            raise SystemExit(f"scripts/pictures: {condition} was not true within {PATIENCE_S} s")
        time.sleep(0.1)
