"""The files that pages use: scripts, style sheets and the icon."""

from collections.abc import Callable, Mapping
from importlib.resources import files
from typing import Final

from arbiter.show.keys import write_keys_script
from arbiter.show.language import write_sentences_script
from arbiter.show.report.values import PageFile
from arbiter.show.theme import write_css, write_script

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
    return PageFile(f"assets/{name}", _MAKERS[name]() if name in _MAKERS else read_static(name))


def _join_viewer() -> bytes:
    """Join colours, symbols, keys and sentences with the parts of the viewer: modules would not load from a disk."""
    parts = (write_script(), write_keys_script(), write_sentences_script(), *map(_read_script, VIEWER_PARTS))
    return "\n".join(parts).encode()


def _read_script(name: str) -> str:
    """Read a script without its comments on lines of their own and without indentation."""
    lines = (line.strip() for line in read_static(name).decode().splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def read_static(name: str) -> bytes:
    """Read a file as it is."""
    return files("arbiter.show.report").joinpath("static", name).read_bytes()


_MAKERS: Final[Mapping[str, Callable[[], bytes]]] = {
    "theme.css": lambda: write_css().encode(),
    "viewer.js": _join_viewer,
}
