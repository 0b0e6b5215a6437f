"""Take the pictures of the documentation: play a tournament, and show it in a terminal and in a browser."""

import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from browser.window import Window
from cli.command_line import StartedArbiter, write_tournament
from msgspec import Struct
from msgspec.structs import replace
from show.watch.driver import take_picture

from arbiter.record import Record, read_record
from arbiter.show.replay.knowledge import Viewer
from arbiter.show.watch.app import ReplayApp
from arbiter.show.watch.source import ViewSettings
from arbiter.show.watch.state import ReplayState
from arbiter.tournament.results.live_files import read_live_game
from arbiter.tournament.results.reader import Results
from scripts import arena_pictures, moving_pictures

FOLDER: Final = Path(__file__).parent.parent / "docs" / "pictures"
MAX_BYTES, MAX_BYTES_OF_MOVING = 100_000, 400_000
TOURNAMENT: Final = {
    "name": "club",
    "rules": "original",
    "bots": ("tracker", "hunter", "stdlib", "random"),
    "games": 4,
    "jobs": 2,
    "seed": 2026,
}
GAME: Final = "tracker~hunter~1"
PLY: Final = 132  # an attack, the last of several
ACTS: Final = 260  # number of acts after which the game in progress is stopped
POLL_S: Final = 0.02
WIDE: Final = (920, 800)
PHONE: Final = (390, 800)
# The same date and the same times on all pictures, so that a new picture differs only if its contents do.
MS: Final = (140, 95, 310, 180, 60, 220, 425)
STARTED: Final = "2026-11-21T20:00:00+00:00"
QUALITY: Final = 80


TakePicture = Callable[[], bytes]


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
    "report.webp": Page("index.html", "body", "section:has(.cross)", scale=1.1),
    "report-game.webp": Page(f"games/{GAME}.html#{PLY}/red", "body", ".stage", scale=1.4, colours="dark"),
    "report-bot.webp": Page("bots/tracker.html", "section:has(.spreads)", "div.spreads"),
}
LIVE: Final = {
    "live.webp": Page("index.html", "body", "section:has(.standings)"),
    "live-phone.webp": Page(f"games/{GAME}.html#{PLY}", "body", ".stage", size=PHONE, scale=1),
}
MOVING: Final = ("replay-moving.webp", "game-moving.webp")
NAMES: Final = (*SCREENS, *REPORT, *LIVE, *MOVING, *arena_pictures.NAMES)

SET_DATES = rf"""
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (texts.nextNode()) texts.currentNode.data = texts.currentNode.data
  .replace(/\d\d\d\d-\d\d-\d\d/, "{STARTED[:10]}")
  .replace(/\d\d:\d\d(:\d\d)?/, (found) => "{STARTED[11:19]}".slice(0, found.length));
"""


def list_pictures(folder: Path, *, with_live: bool, with_arena: bool) -> Iterator[tuple[str, TakePicture]]:
    """Play the tournament in a folder, and list all pictures; each must be taken before the next one is listed."""
    if with_arena:
        arena = folder / "arena"
        arena.mkdir()
        with open_browser(folder / "phone") as window:
            for name, picture in arena_pictures.list_pictures(arena, window, SET_DATES):
                yield name, partial(bytes, picture)
    file = write_tournament(folder, **TOURNAMENT)
    results = folder / "results" / "club.sqlite"
    with open_browser(folder / "profile") as window:
        if with_live:
            with stop_during_game(file, results) as address:
                yield from list_page_pictures(window, LIVE, lambda page: f"{address}{page}")
        run_arbiter("run", file)
        run_arbiter("report", file, "-o", folder / "report")
        yield from list_page_pictures(window, REPORT, lambda page: (folder / "report").as_uri() + f"/{page}")
        page = folder / "report" / "games" / f"{GAME}.html"
        yield "game-moving.webp", partial(moving_pictures.show_page, window, page, PLY)
        with Results.read(results) as store:
            yield from ((name, partial(take_terminal_picture, store, screen)) for name, screen in SCREENS.items())
            yield "replay-moving.webp", partial(moving_pictures.show_terminal, window, read_game(store), PLY)


@contextmanager
def open_browser(profile: Path) -> Iterator[Window]:
    try:
        window = Window(profile)
    except FileNotFoundError as error:
        raise SystemExit(f"scripts/pictures: {error}") from None
    try:
        yield window
    finally:
        window.close()


@contextmanager
def stop_during_game(file: Path, results: Path) -> Iterator[str]:
    """Play until the game has ACTS acts, then stop the arbiter; yield the address of its pages."""
    with StartedArbiter("run", file, "--serve", 0) as playing:
        playing.read_until("watch it at")
        while read_live_game(results, GAME).count(b"\n") < ACTS:
            if playing.popen.poll() is not None:
                raise SystemExit(f"scripts/pictures: `arbiter run` ended before {GAME} had {ACTS} acts")
            time.sleep(POLL_S)
        playing.popen.send_signal(signal.SIGSTOP)
        yield playing.lines[-1].split()[-1]


def run_arbiter(*words: object) -> None:
    """Run `arbiter WORDS` to its end."""
    with StartedArbiter(*words) as running:
        code, errors = running.finish()
    if code:
        raise SystemExit(f"scripts/pictures: {errors}")


def list_page_pictures(
    window: Window, pages: dict[str, Page], address: Callable[[str], str]
) -> Iterator[tuple[str, TakePicture]]:
    """List the pictures of pages."""
    yield from ((name, partial(take_page_picture, window, page, address(page.address))) for name, page in pages.items())


def take_page_picture(window: Window, page: Page, address: str) -> bytes:
    """Take the picture of a page."""
    window.reset()
    window.resize(*page.size, page.scale)
    window.set_colour_scheme(page.colours)
    window.visit(address)
    window.run_script(SET_DATES)
    picture: bytes = window.take_picture(page.first, page.last, QUALITY)
    return picture


def take_terminal_picture(store: Results, screen: Screen) -> bytes:
    """Take the picture of a terminal."""
    settings = ViewSettings(viewer=screen.viewer)
    state = None
    if screen.of_game:
        state = ReplayState(read_game(store), settings)
        state.go_to(state.replay.find_ply(PLY))
    picture = take_picture(ReplayApp(settings, state, store), width=80, height=24, keys=screen.keys)
    return make_self_contained(picture).encode()


def read_game(store: Results) -> Record:
    """Read the game of the pictures, with a fixed date and fixed times."""
    record = read_record(store.record(GAME))
    acts = tuple(replace(act, ms=float(MS[number % len(MS)])) for number, act in enumerate(record.acts))
    return replace(record, header=replace(record.header, started=STARTED), acts=acts)


def make_self_contained(picture: str) -> str:
    """Return a picture that needs no other files: it has a fixed size and uses fonts of the reader's system."""
    sized = re.sub(r'viewBox="0 0 (\S+) (\S+)"', r'\g<0> width="\1" height="\2"', picture, count=1)
    return re.sub(r"@font-face \{.*?\}\s*", "", sized, flags=re.DOTALL)


def main() -> None:
    """Take all pictures, or those that are named."""
    wanted = sys.argv[1:] or NAMES
    if unknown := set(wanted) - set(NAMES):
        raise SystemExit(f"scripts/pictures: there is no picture {unknown.pop()}; the pictures are {', '.join(NAMES)}")
    FOLDER.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # bots in a sandbox read files in it
        with_live, with_arena = (not set(wanted).isdisjoint(names) for names in (LIVE, arena_pictures.NAMES))
        for name, take in list_pictures(Path(folder), with_live=with_live, with_arena=with_arena):
            if name not in wanted:
                continue
            picture = take()
            (FOLDER / name).write_bytes(picture)
            print(f"{len(picture):7} {FOLDER / name}")
            most = MAX_BYTES_OF_MOVING if name in MOVING else MAX_BYTES
            if len(picture) > most:
                raise SystemExit(f"scripts/pictures: {name} is larger than {most} bytes; show less of it")


if __name__ == "__main__":
    main()
