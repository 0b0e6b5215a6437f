"""Suites: positions with the best actions, or with the result that a good bot reaches.

A bot plays the side that moves first in a position.  It sees what its player may know: the places of all pieces, its
own ranks, and those that the position marks as known.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from arbiter.errors import ConfigError, ConfigErrors
from arbiter.games.board.ruleset import BoardRules
from arbiter.games.catalogue import find_game
from arbiter.games.chance import SeededChance
from arbiter.games.notation import write_action
from arbiter.games.ruleset import NO_OVERRIDES, Overrides
from arbiter.languages.sentences import write_reason
from protocol.words import SEATS, Seat

Expected = Literal["win", "draw"]
Plies = Annotated[int, Meta(ge=1, le=10_000)]
_NEEDS_ONE: Final = "needs exactly one of best, avoid and result"


class PositionTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A position of a suite: one table of the file."""

    name: str
    board: str
    """The position as rows or letters."""
    theme: str = ""
    why: str = ""
    """Explanation for people."""
    rules: str | None = None
    """Default: those of the suite."""
    options: list[str] = []
    army: dict[str, int] = {}
    """Pieces of each rank in the rules that the bot is sent. Default: the most that a side has on the board."""
    best: list[str] = []
    """Actions in short form, such as a4-a5; the bot must choose one of them."""
    avoid: list[str] = []
    """Actions that the bot must not choose."""
    result: Expected | None = None
    """The bot must reach this result or a better one."""
    plies: Plies = 200
    """With `result`: most plies of the game."""


class SuiteFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A suite as it is written."""

    name: str
    rules: str = "original"
    position: list[PositionTable]


class SuitePosition(Struct, frozen=True, kw_only=True):
    """A position of a suite, checked."""

    table: PositionTable
    rules: str
    overrides: Overrides
    letters: str
    seat: Seat
    """The seat of the bot: that which moves first."""


class Suite(Struct, frozen=True):
    """A suite, checked."""

    name: str
    positions: tuple[SuitePosition, ...]

    def select(self, names: Sequence[str]) -> "Suite":
        """Return the positions with some names or themes; all of them without names.

        Raises ConfigError if no position and no theme has one of the names.
        """
        known = {name for one in self.positions for name in (one.table.name, one.table.theme)}
        for name in names:
            if name not in known:
                themes = ", ".join(dict.fromkeys(one.table.theme for one in self.positions if one.table.theme))
                raise ConfigError(f"--only {name}: no position and no theme has this name; the themes are {themes}")
        chosen = (one for one in self.positions if not names or {one.table.name, one.table.theme} & {*names})
        return Suite(self.name, tuple(chosen))


class SuiteAnswer(Struct, frozen=True, kw_only=True):
    """The answer of a bot to a position."""

    passed: bool
    got: str
    """Its action, or the result of the game."""
    ms: float | None = None
    """Milliseconds of its first action."""
    why: str = ""
    """The mistake of the bot or of its opponent, if one of them forfeited."""
    record: bytes = b""


def check_suite(
    file: SuiteFile, rules: str | None = None, options: Sequence[str] = (), changes: Overrides = NO_OVERRIDES
) -> Suite:
    """Check the positions of a suite, for the rules of the file or for others.

    All positions get other `rules`, more `options` and `changes` of the rules.
    Raises ConfigErrors with all faults, each begins with its key.
    """
    faults: list[str] = []
    positions = []
    names = Counter(table.name for table in file.position)
    faults += [f"position.{name}: {count} positions have this name" for name, count in names.items() if count > 1]
    for table in file.position:
        try:
            changed = replace(table, options=[*table.options, *options])
            positions.append(_check_position(changed, rules or table.rules or file.rules, changes))
        except ConfigError as error:
            faults.append(f"position.{table.name}.{error}")
    if faults:
        raise ConfigErrors(faults)
    return Suite(file.name, tuple(positions))


def _check_position(table: PositionTable, rules: str, changes: Overrides) -> SuitePosition:
    """Check a position.  Raises ConfigError with a text that begins with the key."""
    if sum(map(bool, (table.best, table.avoid, table.result))) != 1:
        raise ConfigError(f"best: {table.name} {_NEEDS_ONE}")
    game = _start_at(table, rules)
    pieces = game.position.pieces if game.position else ()
    counts = {seat: Counter(piece.rank for piece in pieces if piece.seat == seat) for seat in SEATS}
    army = {str(rank.id): max(counts[seat][rank.id] for seat in SEATS) for rank in game.ranks} | table.army
    overrides = replace(changes, army=army | (changes.army or {}))
    if table.result:
        overrides = replace(overrides, max_plies=table.plies)
    letters = game.write_start() or ""
    play = find_game(rules, table.options, overrides, letters).start(SeededChance(0))
    if play.outcome:
        raise ConfigError(f"board: the game is over at the start: {write_reason(play.outcome.reason)}")
    legal = {write_action(action) for action in play.legal_actions(play.first)}
    for key, actions in (("best", table.best), ("avoid", table.avoid)):
        for action in actions:
            if action not in legal:
                raise ConfigError(f"{key}: {action!r} is not legal; {play.first} can play {', '.join(sorted(legal))}")
    if legal <= {*table.avoid}:
        raise ConfigError("avoid: contains all legal actions; remove those that are good")
    return SuitePosition(table=table, rules=rules, overrides=overrides, letters=letters, seat=play.first)


def _start_at(table: PositionTable, rules: str) -> BoardRules:
    try:
        game = find_game(rules, table.options)
    except ConfigError as error:
        raise ConfigError(f"rules: {error}") from None
    if not isinstance(game, BoardRules):
        raise ConfigError(f"rules: {rules} has no board; positions are for board games")
    try:
        return game.at_position(table.board)
    except ConfigError as error:
        raise ConfigError(f"board: {str(error).removeprefix('position: ')}") from None
