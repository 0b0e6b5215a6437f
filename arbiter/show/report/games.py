"""The page of a game with its viewer: in a report, in progress, or in one file; and the file of its record."""

import base64
import hashlib
import lzma
import re
import zlib
from collections.abc import Mapping
from functools import cache, cached_property
from importlib.resources import files as find_files
from typing import Any, Final
from urllib.parse import quote

import msgspec
from markupsafe import Markup, escape
from msgspec import Struct
from msgspec.structs import replace

from arbiter import __version__
from arbiter.errors import ConfigError
from arbiter.languages.catalogue import DEFAULT_LANGUAGE, read_language
from arbiter.record import Record, RecordError, read_record
from arbiter.show.boards import OWNER, write_rank
from arbiter.show.language import ENGLISH, SentenceWriter
from arbiter.show.pictures import has_pillow
from arbiter.show.replay.frame import Frame
from arbiter.show.replay.knowledge import VIEWERS, Viewer, name_place
from arbiter.show.replay.plain_text import make_grid, write_title
from arbiter.show.replay.replay import NO_LOG, Replay
from arbiter.show.report.files import (
    PageFile,
    game_page,
    moves_file,
    picture_file,
    read_asset,
    read_static,
    record_file,
    render,
)
from arbiter.show.report.packed_data import pack
from arbiter.show.report.values import GameSummary, ReportData, read_summary, summarise
from arbiter.show.report.viewer_data import make_viewer_data
from arbiter.show.text import plain
from arbiter.show.theme import PAPER
from arbiter.tournament.events import Began
from arbiter.tournament.standings.game_status import COUNTS, GameStatus
from arbiter.tournament.standings.stored_game import StoredGame
from arbiter.transcript import GameLog
from protocol.words import BLUE, RED, SEATS

_WIDTH: Final = 5  # columns of a square
_LAKE: Final = "~~~~"
_EMPTY: Final = " ."
_KNOWN: Final = "!"
# The elements of pieces: red and blue, each known to its opponent and hidden from it.
_ELEMENTS: Final = {("red", True): "b", ("red", False): "s", ("blue", True): "i", ("blue", False): "u"}


def write_still(frame: Frame, viewer: Viewer, sentences: SentenceWriter = ENGLISH) -> Markup:
    """Write a board or cards: `R3!` is a red miner known to blue, `b?` a blue piece of unknown rank."""
    grid = make_grid(frame, BLUE if viewer == BLUE else RED, sentences)
    known = frozenset(frame.known)
    lines = []
    for row in grid.rows:
        line = escape(row.label.ljust(grid.margin))
        for square in row.squares:
            piece = square.piece
            if piece is None:
                line += f" {_LAKE if square.is_lake else _EMPTY}".ljust(_WIDTH)
                continue
            is_known = name_place(piece) in known
            text = f"{OWNER[piece.seat]}{write_rank(piece.rank)}{_KNOWN * is_known}".center(_WIDTH - 1)
            element = _ELEMENTS[piece.seat, is_known]
            line += Markup(f" <{element}>{escape(text)}</{element}>")  # noqa: S704 - a constant element
        lines.append(line + row.tail)
    names = " " * grid.margin + "".join(f"  {name}".ljust(_WIDTH) for name in grid.columns)
    return Markup('<pre class="still">{}</pre>').format(Markup("\n").join([*lines, names.rstrip()]))


_MARK_LENGTH: Final = 16
_MOST_INLINE: Final = 10_000  # characters of viewer data in a page: almost 2,000 plies without evaluations
_RECORD_FILTER: Final = {"id": lzma.FILTER_LZMA2, "preset": 0, "lc": 0, "pb": 0, "nice_len": 273, "depth": 16}
"""A fifth of the processor time of bzip2, for files that are a third larger."""


class PageOrder(Struct, frozen=True, dict=True):
    """The input for the page of a game."""

    game: StoredGame
    record: bytes

    log: tuple[str, ...] = ()
    """The last lines of the log."""

    stderr: GameLog = NO_LOG
    """The lines of the bots on stderr, if the page shows them."""

    lang: str = DEFAULT_LANGUAGE

    state: GameStatus = COUNTS

    before: str | None = None
    """Id of the previous game in the list of games."""

    after: str | None = None
    """Id of the next game."""

    titles: Mapping[str, str] = {}
    """Titles of the two bots by their names, as far as they have any."""

    tournament: str = "Standings"
    """Name of the tournament, for the link to its first page."""

    unit: str = "round"
    """The word for what is numbered: rounds or, in a ladder, pairs of games."""

    is_served: bool = False
    """The page is served, so a reader can follow the games in progress."""

    picture: str = ""
    """Address of a picture of the last position, for previews of links; empty if there is none."""

    paints_picture: bool = False
    """Make this picture with the page; otherwise it is made when it is requested."""

    @property
    def path(self) -> str:
        return game_page(self.game.id)

    @cached_property
    def mark(self) -> str:
        """A hash at the start of the page; it changes with anything that the page is made from."""
        return hashlib.sha256(_digest_sources() + msgspec.msgpack.encode(self)).hexdigest()[:_MARK_LENGTH]


@cache
def _digest_sources() -> bytes:
    template = find_files("arbiter.show.report").joinpath("templates/game.html").read_bytes()
    return hashlib.sha256(b"".join([__version__.encode(), template, read_asset("viewer.js").content])).digest()


class GamePages(Struct, frozen=True):
    """The files of a game, and the summary of its record."""

    game_id: str
    files: tuple[PageFile, ...]
    summary: GameSummary


def make_game_pages(order: PageOrder) -> GamePages:
    """Make the record file of a game and its page; if the record cannot be shown, the page shows why.

    The viewer data of a long game is a file of its own, so that the page is small.
    """
    data = ""
    error = ""
    still = Markup()
    files: list[PageFile] = []
    try:
        record = read_record(order.record)
        replay = Replay(_use_titles(record, order.titles), order.lang, order.stderr)
        summary = summarise(record, replay.moments)
        data = pack(make_viewer_data(replay))
        last = replay.frame(replay.last, "arbiter")
        still = write_still(last, "arbiter", replay.sentences)
        if order.paints_picture:
            files.append(_paint(order, last, replay))
    except (RecordError, ConfigError) as failure:
        error = str(failure)
        summary = read_summary(order.record)
    files.append(PageFile(record_file(order.game.id), lzma.compress(order.record, filters=[_RECORD_FILTER])))
    is_long = len(data) > _MOST_INLINE
    if is_long:
        script = f"window.arbiterMoves = {msgspec.json.encode(data).decode()};\n"
        files.append(PageFile(moves_file(order.game.id), script.encode()))
    files.append(
        render(
            "game.html",
            order.path,
            order.lang,
            order=order,
            game=order.game,
            viewer_data=data,
            is_long=is_long,
            still=still,
            error=error,
        )
    )
    return GamePages(order.game.id, tuple(files), summary)


def _use_titles(record: Record, titles: Mapping[str, str]) -> Record:
    """Return the record with the titles of its players instead of their names, which the page does not show."""
    seats = {seat: replace(one, name=titles.get(one.name, one.name)) for seat, one in record.header.seats.items()}
    return replace(record, header=replace(record.header, seats=seats))


def make_game_picture(order: PageOrder) -> PageFile | None:
    """Make the picture of the last position of a game; None if the record cannot be shown, or without Pillow."""
    if not has_pillow():
        return None
    try:
        replay = Replay(_use_titles(read_record(order.record), order.titles), order.lang)
        last = replay.frame(replay.last, "arbiter")
    except (RecordError, ConfigError):
        return None
    return _paint(order, last, replay)


def _paint(order: PageOrder, frame: Frame, replay: Replay) -> PageFile:
    from arbiter.show.pictures.pixels import write_png  # noqa: PLC0415 - Pillow is optional

    content = write_png(frame, "arbiter", PAPER, write_title(replay), 1, sentences=replay.sentences)
    return PageFile(picture_file(order.game.id), content)


def make_missing_page(path: str, results: ReportData) -> bytes:
    """Make the page that is shown if there is no page at a path."""
    return render("missing.html", path, results.lang, results=results).content


def make_live_game_page(results: ReportData, began: Began, data: Mapping[str, Any] | None) -> PageFile:
    """Make the page of a game in progress; `data` is None as long as spectators may see nothing."""
    path = game_page(began.fixture.id)
    viewer_data = "" if data is None else pack(data)
    return render(
        "live_game.html", path, results.lang, results=results, game=began.fixture, at=began.at, viewer_data=viewer_data
    )


_STYLES: Final = ("theme.css", "base.css", "viewer.css")
_COMPRESSION: Final = 9


def make_single_page(replay: Replay, viewer: Viewer, start: str) -> bytes:
    """Make the page of a game as a viewer may see it; the arbiter's page has all seats.

    The page opens at the ply `start`, a number or `end`.  It contains no data that the viewer may not know.
    """
    last = replay.frame(replay.last, viewer)
    red, blue = (
        plain(player.name) if (player := replay.record.header.seats.get(seat)) else replay.sentences.write_seat(seat)
        for seat in SEATS
    )
    header = replay.record.header
    lang = replay.sentences.lang
    write = read_language(lang).write_page_text
    ending = last.ending[0] if last.ending else write("in_progress")
    result = write("result_after", result=ending, plies=write("count_plies", count=last.ply))
    description = f"{result}. {' '.join((header.rules, *header.options))}"
    styles = "".join(read_asset(name).content.decode() for name in _STYLES)
    style = re.sub(r"\n\s*", "\n", re.sub(r"/\*.*?\*/", "", styles, flags=re.DOTALL)).strip()
    program = read_asset("words.js", lang).content + read_asset("viewer.js").content
    loader = read_static("loader.js").decode()
    policy = (
        f"default-src 'none'; script-src {_hash(loader.encode())} {_hash(program)}; style-src {_hash(style.encode())}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    return render(
        "single.html",
        "",
        lang,
        policy=Markup(policy),  # noqa: S704 - hashes and constants
        red=red,
        blue=blue,
        description=description,
        icon=f"data:image/svg+xml,{quote(read_static('icon.svg').decode().strip())}",
        style=Markup(style),  # noqa: S704 - our own files
        still=write_still(last, viewer, replay.sentences),
        start=start,
        viewer_data=pack(make_viewer_data(replay, VIEWERS if viewer == "arbiter" else (viewer,))),
        program=base64.b64encode(zlib.compress(program, _COMPRESSION)).decode(),
        loader=Markup(loader),  # noqa: S704 - our own file
    ).content


def _hash(content: bytes) -> str:
    """Return the source of a content security policy that allows this content."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(content).digest()).decode()}'"
