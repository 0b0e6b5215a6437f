"""The page of a game, with its record beside it."""

import gzip
from collections.abc import Iterator, Sequence

from arbiter.errors import ConfigError
from arbiter.record import Record, RecordError, read_record
from arbiter.show.names import DEFAULT_LANGUAGE
from arbiter.show.report.environment import render
from arbiter.show.report.film import film, packed
from arbiter.show.report.names import game_page, record_file
from arbiter.show.report.values import Told
from arbiter.tournament.stored import StoredGame


def game_pages(game: StoredGame, data: bytes, log: Sequence[str] = (), lang: str = DEFAULT_LANGUAGE) -> Iterator[Told]:
    """Make a game's page and the file of its record; a record that cannot be shown is there to be fetched all the same."""
    shown, why = "", ""
    try:
        record: Record | None = read_record(data)
        shown = packed(film(record, lang)) if record else ""
    except (RecordError, ConfigError) as error:
        record, why = None, str(error)
    path = game_page(game.id)
    yield Told(path, render("game.html", path, game=game, film=shown, why=why, log=log, lang=lang))
    yield Told(record_file(game.id), gzip.compress(data, mtime=0))
