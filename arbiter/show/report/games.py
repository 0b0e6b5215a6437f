"""The page of a game, with its record beside it."""

import bz2
import hashlib
from functools import cache
from importlib.resources import files
from typing import Final

import msgspec
from msgspec import Struct

from arbiter import __version__
from arbiter.errors import ConfigError
from arbiter.record import RecordError, read_record
from arbiter.show.names import DEFAULT_LANGUAGE
from arbiter.show.replay.replay import Replay
from arbiter.show.report.environment import render
from arbiter.show.report.names import game_page, record_file
from arbiter.show.report.values import PageFile
from arbiter.show.report.viewer_data import packed, viewer_data
from arbiter.tournament.standings.stored_game import StoredGame

_SOURCES: Final = ("templates/game.html", "static/viewer.js")
_DIGITS: Final = 16


class PageOrder(Struct, frozen=True):
    """A game to make a page of: its record and the last lines of its log."""

    game: StoredGame
    record: bytes
    log: tuple[str, ...] = ()
    lang: str = DEFAULT_LANGUAGE

    @property
    def path(self) -> str:
        """The name of its page."""
        return game_page(self.game.id)

    @property
    def mark(self) -> str:
        """What stands in the head of its page, and is another where anything on it would be."""
        return hashlib.sha256(_sources() + msgspec.msgpack.encode(self)).hexdigest()[:_DIGITS]


@cache
def _sources() -> bytes:
    package = files("arbiter.show.report")
    return b"".join([__version__.encode(), *(package.joinpath(name).read_bytes() for name in _SOURCES)])


def game_pages(order: PageOrder) -> tuple[PageFile, ...]:
    """Make the file of a game's record and its page; a record that cannot be shown is there to be had all the same."""
    shown, why = "", ""
    try:
        shown = packed(viewer_data(Replay(read_record(order.record), order.lang)))
    except (RecordError, ConfigError) as error:
        why = str(error)
    page = render("game.html", order.path, order=order, game=order.game, film=shown, why=why)
    return PageFile(record_file(order.game.id), bz2.compress(order.record)), PageFile(order.path, page)
