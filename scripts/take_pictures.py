"""Take the pictures of the documentation: play a tournament, and show it in a terminal and in a browser."""

import re
import shutil
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from browser.window import CHROMIUM, DRIVER, Window
from cli.desk import Started, write_tournament
from msgspec import Struct
from msgspec.structs import replace

from arbiter.cli.watched import Watched
from arbiter.record import read_record
from arbiter.show.replay.knowledge import Viewer
from arbiter.show.watch.app import ReplayApp
from arbiter.show.watch.picture import take_picture
from arbiter.show.watch.state import ReplayState, ViewSettings
from arbiter.tournament.results.live_files import read_live_game
from arbiter.tournament.results.store import Store

FOLDER: Final = Path(__file__).parent.parent / "docs" / "pictures"
MOST_BYTES: Final = 100_000
TERMS: Final = {
    "name": "club",
    "rules": "original",
    "bots": ("tracker", "hunter", "stdlib", "random"),
    "games": 4,
    "jobs": 2,
    "seed": 2026,
}
GAME: Final = "tracker~hunter~1"
PLY: Final = 233  # an attack
LATER: Final = 260  # number of acts at which the game in progress is stopped
LOOK_EVERY_S: Final = 0.02
WIDE, PHONE = (920, 800), (390, 800)
STARTED: Final = (
    "2026-11-21T20:00:00+00:00"  # the same on all pictures, so that a new picture differs only if its contents do
)
QUALITY: Final = 80


class Screen(Struct, frozen=True):
    """A picture of a terminal: the game or the list of games, from a seat, after some keys."""

    of_game: bool
    viewer: Viewer = "arbiter"
    keys: tuple[str, ...] = ()


class Page(Struct, frozen=True):
    """A picture of a browser: a page from the top of one element to the bottom of another, given by selectors."""

    address: str
    first: str
    last: str
    size: tuple[int, int] = WIDE
    scale: float = 1.5
    colours: str = "light"


SCREENS: Final = {
    "replay.svg": Screen(of_game=True, viewer="red"),
    "replay-games.svg": Screen(of_game=False, keys=("down",) * 4),
}
REPORT: Final = {
    "report.webp": Page("index.html", "body", "section:has(.cross)"),
    "report-game.webp": Page(f"games/{GAME}.html#{PLY}/red", "body", ".stage", colours="dark"),
    "report-bot.webp": Page("bots/tracker.html", "section:has(.spreads)", ".spreads"),
}
LIVE: Final = {
    "live.webp": Page("index.html", "body", "section:has(.standings)"),
    "live-phone.webp": Page(f"games/{GAME}.html#{PLY}", "body", ".stage", size=PHONE, scale=1),
}
NAMES: Final = (*SCREENS, *REPORT, *LIVE)

LEVEL = rf"""
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (texts.nextNode()) texts.currentNode.data = texts.currentNode.data
  .replace(/\d\d\d\d-\d\d-\d\d/, "{STARTED[:10]}")
  .replace(/\d\d:\d\d(:\d\d)?/, (found) => "{STARTED[11:19]}".slice(0, found.length));
"""


def take_all(room: Path) -> Iterator[tuple[str, bytes]]:
    """Play the tournament in a folder, and take all pictures."""
    file = write_tournament(room, **TERMS)
    results = room / "results" / "club.sqlite"
    with browser(room / "profile") as window:
        with held(file, results) as address:
            yield from photographs(window, LIVE, lambda page: f"{address}{page}")
        arbiter("run", file)
        arbiter("report", file, "-o", room / "report")
        yield from photographs(window, REPORT, lambda page: (room / "report").as_uri() + f"/{page}")
    with Store.read(results) as store:
        yield from ((name, screen_shot(store, screen)) for name, screen in SCREENS.items())


@contextmanager
def browser(profile: Path) -> Iterator[Window]:
    """Open a browser."""
    programs = shutil.which(CHROMIUM), shutil.which(DRIVER)
    if not all(programs):
        raise SystemExit(f"scripts/pictures: {CHROMIUM} and {DRIVER} are needed; install them")
    window = Window(*programs, profile)
    try:
        yield window
    finally:
        window.close()


@contextmanager
def held(file: Path, results: Path) -> Iterator[str]:
    """Play until the game has LATER acts, then stop the arbiter; yield the address of its pages."""
    with Started("run", file, "--serve", 0) as playing:
        playing.read_until("watch it at")
        while read_live_game(results, GAME).count(b"\n") < LATER:
            if playing.popen.poll() is not None:
                raise SystemExit(f"scripts/pictures: `arbiter run` ended before {GAME} had {LATER} acts")
            time.sleep(LOOK_EVERY_S)
        playing.popen.send_signal(signal.SIGSTOP)
        yield playing.lines[-1].split()[-1]


def arbiter(*words: object) -> None:
    """Run `arbiter WORDS` to its end."""
    with Started(*words) as running:
        code, complaints = running.finish()
    if code:
        raise SystemExit(f"scripts/pictures: {complaints}")


def photographs(window: Window, pages: dict[str, Page], address: Callable[[str], str]) -> Iterable[tuple[str, bytes]]:
    """Take the pictures of pages."""
    for name, page in pages.items():
        window.begin()
        window.resize(*page.size, page.scale)
        window.colours(page.colours)
        window.visit(address(page.address))
        window.run(LEVEL)
        yield name, window.picture(page.first, page.last, QUALITY)


def screen_shot(store: Store, screen: Screen) -> bytes:
    """Take the picture of a terminal."""
    wishes = ViewSettings(viewer=screen.viewer)
    viewing = None
    if screen.of_game:
        record = read_record(store.record(GAME))
        viewing = ReplayState(replace(record, header=replace(record.header, started=STARTED)), wishes)
        viewing.go(viewing.reel.of_ply(PLY))
    picture = take_picture(ReplayApp(wishes, viewing, Watched(store)), width=80, height=24, keys=screen.keys)
    return alone(picture).encode()


def alone(picture: str) -> str:
    """Return a picture that needs no other files: with a fixed size, and with fonts of the reader."""
    sized = re.sub(r'viewBox="0 0 (\S+) (\S+)"', r'\g<0> width="\1" height="\2"', picture, count=1)
    return re.sub(r"@font-face \{.*?\}\s*", "", sized, flags=re.DOTALL)


def main() -> None:
    """Take all pictures."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as room:
        for name, picture in take_all(Path(room)):
            (FOLDER / name).write_bytes(picture)
            print(f"{len(picture):7} {FOLDER / name}")
            if len(picture) > MOST_BYTES:
                raise SystemExit(f"scripts/pictures: {name} is larger than {MOST_BYTES} bytes; choose less of the page")


if __name__ == "__main__":
    main()
