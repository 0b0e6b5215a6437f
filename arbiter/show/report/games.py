"""The page of a game with its viewer, and the file of its record."""

import bz2
import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files as find_files
from typing import Any, Final

import msgspec
from markupsafe import Markup
from msgspec import Struct

from arbiter import __version__
from arbiter.errors import ConfigError
from arbiter.record import RecordError, read_record
from arbiter.show.language import DEFAULT_LANGUAGE
from arbiter.show.pictures import has_pillow
from arbiter.show.pictures.layout import lay_out
from arbiter.show.replay.frame import Frame
from arbiter.show.replay.replay import NO_LOG, Replay
from arbiter.show.report.assets import read_asset
from arbiter.show.report.environment import render
from arbiter.show.report.index import NO_SUMMARY, GameSummary, summarise
from arbiter.show.report.names import game_page, picture_file, record_file
from arbiter.show.report.still import write_still
from arbiter.show.report.values import PageFile, ReportData
from arbiter.show.report.viewer_data import make_viewer_data, pack
from arbiter.show.theme import PAPER
from arbiter.tournament.events import Began
from arbiter.tournament.standings.stored_game import StoredGame
from arbiter.transcript import GameLog

_MARK_LENGTH: Final = 16


class PageOrder(Struct, frozen=True):
    """The input for the page of a game."""

    game: StoredGame
    record: bytes

    log: tuple[str, ...] = ()
    """The last lines of the log."""

    stderr: GameLog = NO_LOG
    """The lines of the bots on stderr, if the page shows them."""

    lang: str = DEFAULT_LANGUAGE

    before: str | None = None
    """Id of the previous game in the list of games."""

    after: str | None = None
    """Id of the next game."""

    titles: Mapping[str, str] = {}
    """Titles of the two bots by their names, as far as they have any."""

    is_served: bool = False
    """The page is served, so a reader can follow the games in progress."""

    picture: str = ""
    """Address of a picture of the last position, for previews of links; empty if there is none."""

    paints_picture: bool = False
    """Make this picture with the page; otherwise it is made when it is requested."""

    @property
    def path(self) -> str:
        return game_page(self.game.id)

    @property
    def mark(self) -> str:
        """A hash at the start of the page; it changes with anything that the page is made from."""
        return hashlib.sha256(_read_sources() + msgspec.msgpack.encode(self)).hexdigest()[:_MARK_LENGTH]


@cache
def _read_sources() -> bytes:
    template = find_files("arbiter.show.report").joinpath("templates/game.html").read_bytes()
    return b"".join([__version__.encode(), template, read_asset("viewer.js").content])


class GamePages(Struct, frozen=True):
    """The files of a game, and the summary of its record."""

    game_id: str
    files: tuple[PageFile, ...]
    summary: GameSummary


def make_game_pages(order: PageOrder) -> GamePages:
    """Make the record file of a game and its page; if the record cannot be shown, the page shows why."""
    data = ""
    error = ""
    still = Markup()
    files: list[PageFile] = []
    summary = NO_SUMMARY
    try:
        record = read_record(order.record)
        summary = summarise(record)
        replay = Replay(record, order.lang, order.stderr)
        data = pack(make_viewer_data(replay))
        last = replay.frame(replay.last, "arbiter")
        still = write_still(last, "arbiter")
        if order.paints_picture:
            files.append(PageFile(picture_file(order.game.id), _paint(last)))
    except (RecordError, ConfigError) as failure:
        error = str(failure)
    page = render(
        "game.html",
        order.path,
        order=order,
        game=order.game,
        viewer_data=data,
        still=still,
        error=error,
    )
    files += [PageFile(record_file(order.game.id), bz2.compress(order.record)), PageFile(order.path, page)]
    return GamePages(order.game.id, tuple(files), summary)


def make_game_picture(order: PageOrder) -> PageFile | None:
    """Make the picture of the last position of a game; None if the record cannot be shown, or without Pillow."""
    if not has_pillow():
        return None
    try:
        replay = Replay(read_record(order.record))
        last = replay.frame(replay.last, "arbiter")
    except (RecordError, ConfigError):
        return None
    return PageFile(picture_file(order.game.id), _paint(last))


def _paint(frame: Frame) -> bytes:
    from arbiter.show.pictures.pixels import write_png  # noqa: PLC0415 - Pillow is optional

    return write_png(lay_out(frame, "arbiter"), PAPER, scale=1)


def make_missing_page(path: str, results: ReportData) -> bytes:
    """Make the page that is shown if there is no page at a path."""
    return render("missing.html", path, results=results)


def make_live_game_page(results: ReportData, began: Began, data: Mapping[str, Any] | None) -> PageFile:
    """Make the page of a game in progress; `data` is None as long as spectators may see nothing."""
    path = game_page(began.fixture.id)
    viewer_data = "" if data is None else pack(data)
    page = render("live_game.html", path, results=results, game=began.fixture, at=began.at, viewer_data=viewer_data)
    return PageFile(path, page)
