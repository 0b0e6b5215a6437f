"""The files of the pages on which people play."""

from functools import cache
from importlib.resources import files
from typing import Final

from arbiter.show.report.files import read_script, read_static
from arbiter.show.theme import write_css, write_script

_OWN: Final = (
    "play.css",
    "join.js",
    "page.js",
    "cards.js",
    "editor.js",
    "connection.js",
    "grid.js",
    "knowledge.js",
    "setup.js",
    "sound.js",
    "store.js",
    "styles.js",
    "turn.js",
    "words.js",
)
"""The style, and the scripts, which the browser loads as modules."""
_SHARED: Final = ("base.css", "viewer.css", "icon.svg")
"""Files of reports."""
_TYPES: Final = {"css": "text/css", "html": "text/html", "js": "text/javascript", "svg": "image/svg+xml"}


def find_type(name: str) -> str:
    """Return the media type of a file by its name."""
    return _TYPES[name.rpartition(".")[2]]


@cache
def read_asset(name: str) -> bytes | None:
    """Read a file that the pages use; return None if there is none of this name."""
    if name == "theme.css":
        return write_css().encode()
    if name == "board.js":
        return f"{write_script()}\n{read_script(name)}".encode()
    if name in _SHARED:
        return read_static(name)
    return read_page(name) if name in _OWN else None


def read_page(name: str) -> bytes:
    """Read a file of these pages."""
    return files("arbiter.show.play").joinpath("static", name).read_bytes()
