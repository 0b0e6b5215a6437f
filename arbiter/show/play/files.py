"""The files of the pages on which people play."""

from functools import cache
from importlib.resources import files
from typing import Final

MODULES: Final = ("join.js",)
"""Scripts, which the browser loads as modules."""
_STATIC: Final = files("arbiter.show.play") / "static"
_TYPES: Final = {"css": "text/css", "html": "text/html", "js": "text/javascript", "svg": "image/svg+xml"}


def find_type(name: str) -> str:
    """Return the media type of a file by its name."""
    return _TYPES[name.rpartition(".")[2]]


@cache
def read_page(name: str) -> bytes:
    """Read a page."""
    return (_STATIC / name).read_bytes()


@cache
def read_asset(name: str) -> bytes | None:
    """Read a file that the pages use; return None if there is none of this name."""
    return (_STATIC / name).read_bytes() if name in MODULES else None
