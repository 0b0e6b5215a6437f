"""The page of a game in one file, which a browser opens from disk: viewer, style and game."""

import base64
import hashlib
import re
import zlib
from typing import Final
from urllib.parse import quote

from markupsafe import Markup

from arbiter.show.replay.knowledge import VIEWERS, Viewer
from arbiter.show.replay.replay import Replay
from arbiter.show.report.assets import read_asset, read_static
from arbiter.show.report.environment import render
from arbiter.show.report.still import write_still
from arbiter.show.report.viewer_data import make_viewer_data, pack
from arbiter.show.text import plain
from protocol.words import SEATS

_STYLES: Final = ("theme.css", "base.css", "viewer.css")
_COMPRESSION: Final = 9


def make_single_page(replay: Replay, viewer: Viewer, start: str) -> bytes:
    """Make the page of a game as a viewer may see it; the arbiter's page has all seats.

    The page opens at the ply `start`, a number or `end`.  It contains no data that the viewer may not know.
    """
    last = replay.frame(replay.last, viewer)
    red, blue = (plain(player.name) if (player := replay.record.header.seats.get(seat)) else seat for seat in SEATS)
    header = replay.record.header
    ending = last.ending[0] if last.ending else "In progress"
    description = f"{ending}, after {last.ply} plies. {' '.join((header.rules, *header.options))}"
    style = _shorten("".join(read_asset(name).content.decode() for name in _STYLES))
    program = read_asset("viewer.js").content
    loader = read_static("loader.js").decode()
    policy = (
        f"default-src 'none'; script-src {_hash(loader.encode())} {_hash(program)}; style-src {_hash(style.encode())}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    return render(
        "single.html",
        "",
        policy=Markup(policy),  # noqa: S704 - hashes and constants
        red=red,
        blue=blue,
        description=description,
        icon=f"data:image/svg+xml,{quote(read_static('icon.svg').decode().strip())}",
        style=Markup(style),  # noqa: S704 - our own files
        still=write_still(last, viewer),
        start=start,
        viewer_data=pack(make_viewer_data(replay, VIEWERS if viewer == "arbiter" else (viewer,))),
        program=base64.b64encode(zlib.compress(program, _COMPRESSION)).decode(),
        loader=Markup(loader),  # noqa: S704 - our own file
    )


def _hash(content: bytes) -> str:
    """Return the source of a content security policy that allows this content."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(content).digest()).decode()}'"


def _shorten(style: str) -> str:
    """Remove comments and the indentation of lines from a style sheet."""
    return re.sub(r"\n\s*", "\n", re.sub(r"/\*.*?\*/", "", style, flags=re.DOTALL)).strip()
