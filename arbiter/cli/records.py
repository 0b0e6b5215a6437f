"""A game named on the command line: a record of its own, or one of results, finished or under way."""

from pathlib import Path
from typing import Final

from arbiter.cli.files import is_results, open_results, read_bytes
from arbiter.cli.watched import Watched
from arbiter.errors import ConfigError
from arbiter.record import Record, RecordError, read_record
from arbiter.show.watch.source import open_game

END: Final = "end"  # what stands for the last ply


def read_game(source: Path, game: str | None) -> tuple[Record, bool]:
    """Read a record from its file, or a game's from results, and say whether it is under way.  Raises ConfigError."""
    try:
        return _game_of(source, game) if is_results(source) else (read_record_in(source, game), False)
    except RecordError as error:
        raise ConfigError(f"{source}: {error}") from None


def read_record_in(file: Path, game: str | None) -> Record:
    """Read a record from its own file, in which no game can be chosen.  Raises ConfigError and RecordError."""
    if game is not None:
        raise ConfigError(f"{file}: is no results file, so there is no game {game!r} to choose in it")
    return read_record(read_bytes(file))


def _game_of(results: Path, game: str | None) -> tuple[Record, bool]:
    with open_results(results) as store:
        if game is None:
            raise ConfigError(f"{store.path}: name a game of it; `arbiter games {store.path}` lists them")
        record, live = open_game(Watched(store), game)
        return record, live.in_progress
