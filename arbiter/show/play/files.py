"""The files of the pages on which people play, and of those of invitations, authors and organisers."""

from functools import cache
from importlib.resources import files
from typing import Final

from msgspec import Struct

from arbiter.show.report.files import read_script, read_static
from arbiter.show.theme import write_css, write_script

ASSETS: Final = "/people/"
"""Folder of the files at the server: reports have other ones of the same names."""
_OWN: Final = (
    "authors.css",
    "authors.js",
    "desk.js",
    "guests.js",
    "organise.js",
    "tar.js",
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
_SHARED: Final = ("base.css", "viewer.css", "fill.js", "icon.svg")
"""Files of reports."""
_TYPES: Final = {"css": "text/css", "html": "text/html", "js": "text/javascript", "svg": "image/svg+xml"}
_HEAD: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
"""


class _Head(Struct, frozen=True):
    """The head of a page, which is in a file of the same name."""

    title: str
    script: str
    styles: tuple[str, ...] = ()
    """Style sheets besides those of all pages."""
    draws: bool = False
    """True if it draws boards."""

    def write(self) -> str:
        """Write it in HTML."""
        lines = [f"<title>{self.title}</title>", f'<link rel="icon" href="{ASSETS}icon.svg">']
        styles = ("theme.css", "base.css", *self.styles)
        lines += [f'<link rel="stylesheet" href="{ASSETS}{name}">' for name in styles]
        lines += [f'<script src="{ASSETS}board.js" defer></script>'] * self.draws
        lines += [f'<script type="module" src="{ASSETS}{self.script}"></script>', "</head>"]
        return _HEAD + "\n".join(lines) + "\n"


_PAGES: Final = {
    "join": _Head("Invitation", "join.js", ("authors.css",)),
    "play": _Head("Play", "page.js", ("viewer.css", "play.css"), draws=True),
    "editor": _Head("Play", "editor.js", ("viewer.css", "play.css"), draws=True),
    "guests": _Head("Play", "guests.js", ("authors.css",)),
    "authors": _Head("Programs", "authors.js", ("authors.css",)),
    "organise": _Head("Organiser", "organise.js", ("authors.css",)),
}


def find_type(name: str) -> str:
    """Return the media type of a file by its name."""
    return _TYPES[name.rpartition(".")[2]]


@cache
def read_asset(name: str) -> bytes | None:
    """Read a file that the pages use; return None if there is none of this name."""
    if name == "theme.css":
        return write_css().encode()
    if name == "board.js":
        return "\n".join([write_script(), read_script("fill.js"), read_script(name)]).encode()
    if name in _SHARED:
        return read_static(name)
    return _read(name) if name in _OWN else None


@cache
def read_page(name: str) -> bytes:
    """Read a page by its name."""
    return _PAGES[name].write().encode() + _read(f"{name}.html")


def _read(name: str) -> bytes:
    return files("arbiter.show.play").joinpath("static", name).read_bytes()
