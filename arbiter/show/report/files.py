"""Paths of the files of a report, and the files that are the same in all reports: scripts, style sheets and the icon.

Paths are valid on every file system and in every URL, whatever the name of a bot.
"""

import re
from importlib.resources import files
from typing import Final
from urllib.parse import quote

from msgspec import Struct

from arbiter.show.keys import write_keys_script
from arbiter.show.language import write_sentences_script
from arbiter.show.theme import write_css, write_script

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._~+-]|^\.")

FOLLOW: Final = "follow.html"
"""The page that leads to a game in progress."""


class PageFile(Struct, frozen=True):
    """A file of a report."""

    path: str
    """Relative to the folder of the report."""

    content: bytes


def safe(name: str) -> str:
    """Replace characters that a file name must not have by their bytes, as `=2f`."""
    return _UNSAFE.sub(lambda found: "".join(f"={byte:02x}" for byte in found[0].encode()), name)


def bot_page(bot: str) -> str:
    return f"bots/{safe(bot)}.html"


def game_page(game_id: str) -> str:
    return f"games/{safe(game_id)}.html"


def game_events(game_id: str) -> str:
    """Return the path of the event stream of a game in progress."""
    return f"games/{safe(game_id)}.events"


def follow_page(game_id: str) -> str:
    """Return the path that leads to a game in progress other than this one."""
    return f"{FOLLOW}?after={quote(game_id)}"


def record_file(game_id: str) -> str:
    return f"games/{safe(game_id)}.jsonl.bz2"


def picture_file(game_id: str) -> str:
    """Return the path of the picture of a game for previews of links."""
    return f"games/{safe(game_id)}.png"


def pairing_page(one: str, other: str) -> str:
    """Return the path of the page with all games between two bots."""
    return "pairings/{}~~{}.html".format(*map(safe, sorted((one, other))))


def games_page(number: int) -> str:
    """Return the path of a page of the list of all games; the first is number 1."""
    return "games.html" if number == 1 else f"games-{number}.html"


VIEWER_PARTS: Final = (
    "board.js",
    "game.js",
    "description.js",
    "overview.js",
    "playback.js",
    "controls.js",
    "share.js",
    "viewer.js",
)
"""The scripts of the viewer of games, each after the ones that it uses.  Pages load them as one file."""
ASSETS: Final = ("theme.css", "base.css", "report.css", "viewer.css", "games.js", "viewer.js", "icon.svg")
LIVE_ASSETS: Final = ("live.js", "boards.js", "follow.js")  # only for pages that are served


def read_asset(name: str) -> PageFile:
    """Read a file that pages use."""
    match name:
        case "theme.css":
            content = write_css().encode()
        case "viewer.js":
            # One file, because modules would not load from a disk: colours, symbols, keys and sentences come first.
            parts = (write_script(), write_keys_script(), write_sentences_script(), *map(read_script, VIEWER_PARTS))
            content = "\n".join(parts).encode()
        case _:
            content = read_static(name)
    return PageFile(f"assets/{name}", content)


def read_static(name: str) -> bytes:
    """Read a file as it is."""
    return files("arbiter.show.report").joinpath("static", name).read_bytes()


def read_script(name: str) -> str:
    """Read a script without its comments on lines of their own and without indentation."""
    lines = (line.strip() for line in read_static(name).decode().splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))
