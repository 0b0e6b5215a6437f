"""Deployment books: each pair of games uses two deployments, and each bot plays both sides."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from math import gcd
from pathlib import Path
from typing import Final

from msgspec import UNSET

from arbiter.errors import ConfigError, write_count
from arbiter.games.base import IllegalAction
from arbiter.games.board.deployments import draw, letters_of, read_book
from arbiter.games.board.ruleset import BoardRules
from arbiter.games.chance import Seed, derive_seed
from arbiter.games.ruleset import RuleSet
from arbiter.record import RecordError, read_record
from arbiter.sandbox.files.untrusted import read_text
from protocol.words import SEATS, Deploy, Seat

_MOST_BYTES: Final = 4 * 2**20  # 90,000 deployments


def load_book(path: Path, game: RuleSet) -> tuple[str, ...]:
    """Read a book for a game.  Raises ConfigError: one line with the file, the line and what is wrong."""
    ruleset = check_deploys(game)
    if ruleset.position is not None:
        raise ConfigError("the games already start from a position; remove `setups` or `position`")
    try:
        book = read_book(read_text(path, _MOST_BYTES), ruleset)
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: byte {error.start + 1} is not UTF-8; save the file as UTF-8 text") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None
    if len(book) < 2:  # noqa: PLR2004 - one for each side
        raise ConfigError(f"{path}: has {write_count(len(book), 'deployment')}; a game takes two")
    return book


def check_deploys(game: RuleSet) -> BoardRules:
    """Return the rules of a board game with deployments.  Raises ConfigError for other games."""
    if not isinstance(game, BoardRules):
        raise ConfigError(f"{game.name} has no deployments on a board")
    return game


def extract_deployments(data: bytes) -> tuple[BoardRules, tuple[str, ...]]:
    """Return the deployments of a record, red's and blue's, if they are complete and legal.

    Raises ConfigError, and RecordError if it is no record.
    """
    record = read_record(data)
    ruleset = check_deploys(record.header.game())
    deployments: dict[Seat, dict[str, str]] = {}
    if ruleset.position:
        deployments = {seat: {} for seat in SEATS}
        for one in ruleset.position.pieces:
            deployments[one.seat][ruleset.board.names[one.square]] = one.rank
    else:
        for act in record.acts[: len(SEATS)]:
            if isinstance(act.action, Deploy) and act.action.pieces is not UNSET:
                deployments[act.seat] = act.action.pieces
    found = []
    for seat, pieces in deployments.items():
        with suppress(IllegalAction):
            found.append(letters_of(pieces, seat, ruleset))
    return ruleset, tuple(found)


def collect_deployments(records: Iterable[tuple[str, bytes]]) -> tuple[BoardRules, list[str]]:
    """Collect the different deployments of records of one rule set, in order.  Raises ConfigError."""
    book: dict[str, None] = {}
    first: BoardRules | None = None
    for name, data in records:
        try:
            ruleset, found = extract_deployments(data)
        except (ConfigError, RecordError) as error:
            raise ConfigError(f"{name}: {error}") from None
        first = first or ruleset
        if (ruleset.name, ruleset.army) != (first.name, first.army):
            raise ConfigError(f"{name}: is a game of {ruleset.name} with another army; a book has one army")
        book |= dict.fromkeys(found)
    if first is None or not book:
        raise ConfigError("these games contain no deployments")
    return first, list(book)


def write_book(book: Sequence[str], ruleset: BoardRules) -> str:
    """Write deployments as a book that begins with a line explaining the signs."""
    signs = ", ".join(f"{rank.sign} {rank.id}" for rank in ruleset.ranks if ruleset.army.get(rank.id))
    return "\n\n".join([f"# {ruleset.name}: {signs}", *(draw(one, ruleset) for one in book), ""])


def choose_deployments(book: Sequence[str], seed: Seed, pair: int, game: str = "", attempt: int = 0) -> tuple[str, str]:
    """Choose the two deployments of a pair of games, or of another attempt to play a game with an id.

    No choice repeats before all have been used: for the pairs, and for the attempts of a game.
    """
    ways = len(book) * (len(book) - 1)
    way = derive_seed(seed, "setups") + pair * _draw_step(ways, seed, "step")
    if attempt:
        way += attempt * _draw_step(ways, seed, "step", game)
    one, other = divmod(way % ways, len(book) - 1)
    return book[one], book[other + (other >= one)]


def _draw_step(ways: int, seed: Seed, *path: str) -> int:
    """Draw a step that leads through all ways."""
    start = 1 + derive_seed(seed, "setups", *path) % ways
    return next(one for one in range(start, 2 * ways + 1) if gcd(one, ways) == 1)
