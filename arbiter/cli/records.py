"""A game named on the command line: a record of its own, or one of results."""

from pathlib import Path
from typing import Final

from arbiter.cli.files import is_results, open_results, read_bytes
from arbiter.errors import ConfigError
from arbiter.record import Record, RecordError, read_record

END: Final = "end"  # what stands for the last ply


def read_game(source: Path, game: str | None) -> Record:
    """Read a record from its file, or a game's from results.  Raises ConfigError."""
    try:
        return read_record(_data(source, game))
    except RecordError as error:
        raise ConfigError(f"{source}: {error}") from None


def _data(source: Path, game: str | None) -> bytes:
    if not is_results(source):
        if game is not None:
            raise ConfigError(f"{source}: is no results file, so there is no game {game!r} to choose in it")
        return read_bytes(source)
    with open_results(source) as store:
        if game is None:
            raise ConfigError(f"{store.path}: name a game of it; `arbiter games {store.path}` lists them")
        return store.record(game)
