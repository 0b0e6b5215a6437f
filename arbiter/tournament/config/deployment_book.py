"""A book of deployments: each pair of games takes two of them, and each bot plays both sides."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from math import gcd
from pathlib import Path

from msgspec import UNSET

from arbiter.errors import ConfigError, IllegalAction
from arbiter.games.board.deployments import SIGNS, draw, letters_of, position_of, read_book
from arbiter.games.board.ruleset import BoardRules
from arbiter.games.chance import derive
from arbiter.games.ruleset import RuleSet
from arbiter.record import Record, read_record
from protocol.words import SEATS, Deploy, Seat


def load_book(path: Path, game: RuleSet) -> tuple[str, ...]:
    """Read a book for a game.  Raises ConfigError: one line that names the file, the line and what is wrong."""
    ruleset = deployed(game)
    if ruleset.position is not None:
        raise ConfigError("the games begin from a position already; keep one of the two")
    try:
        book = read_book(path.read_text("utf-8-sig"), ruleset)
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: byte {error.start + 1} is not UTF-8; save the file as UTF-8 text") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None
    if len(book) < 2:  # noqa: PLR2004 - one for each side
        raise ConfigError(f"{path}: holds {len(book)} deployments; a game takes two")
    return book


def deployed(game: RuleSet) -> BoardRules:
    """Return the rules of a game that begins with deployments on a board.  Raises ConfigError."""
    if not isinstance(game, BoardRules):
        raise ConfigError(f"{game.name} has no deployments on a board")
    return game


def deployments_of(data: bytes) -> tuple[BoardRules, tuple[str, ...]]:
    """Find the deployments of a record, red's and blue's, as far as they are whole and the rules accepted them.

    Raises ConfigError, and RecordError where it is no record.
    """
    record = read_record(data)
    ruleset = deployed(record.header.game())
    found = []
    for seat, pieces in _given(ruleset) if ruleset.position else _chosen(record):
        with suppress(IllegalAction):
            found.append(letters_of(pieces, seat, ruleset))
    return ruleset, tuple(found)


def _given(ruleset: BoardRules) -> Iterator[tuple[Seat, Mapping[str, str]]]:
    for seat in SEATS:
        standings = (one for one in ruleset.position or () if one.seat == seat)
        yield seat, {ruleset.board.names[one.square]: one.rank for one in standings}


def _chosen(record: Record) -> Iterator[tuple[Seat, Mapping[str, str]]]:
    for act in record.acts[: len(SEATS)]:
        if isinstance(act.action, Deploy) and act.action.pieces is not UNSET:
            yield act.seat, act.action.pieces


def write_book(book: Sequence[str], ruleset: BoardRules) -> str:
    """Write deployments as a book, under a line that tells the signs."""
    signs = ", ".join(f"{sign} {rank}" for sign, rank in SIGNS.items() if ruleset.army.get(rank))
    return "\n\n".join([f"# {ruleset.name}: {signs}", *(draw(one, ruleset) for one in book), ""])


def drawn_position(book: Sequence[str], seed: int, number: int, game: RuleSet) -> str:
    """Draw the position of the pair of games of a number: another for each, until all have been drawn."""
    ways = len(book) * (len(book) - 1)
    step = next(one for one in range(1 + derive(seed, "setups", "step") % ways, 2 * ways + 1) if gcd(one, ways) == 1)
    way = (derive(seed, "setups") + number * step) % ways
    one, other = divmod(way, len(book) - 1)
    return position_of(book[one], book[other + (other >= one)], deployed(game))
