"""The consequences of a ruling as sheets."""

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from arbiter.errors import write_count
from arbiter.show.tables.games import winner_of
from arbiter.show.tables.sheet import JSON, SHOWN, Column, Sheet
from arbiter.show.text import number
from arbiter.tournament.schedule.consequences import BotChange, Consequences, CountedGame, GameChange, RoundChange
from arbiter.tournament.standings.table import Standing

_MOST_ROWS: Final = 20
_VALUES: Final = ("rank", "points", "games", "status")


def _describe(one: CountedGame, other: CountedGame) -> str:
    """Describe how a game counts: its winner, its ending if only that differs from the other one, and its state."""
    result = winner_of(one.game)
    ending = [one.game.ending_words] if winner_of(other.game) == result and other.state == one.state else []
    state = [] if one.state.counts or one.state.words == result else [one.state.words]
    return f"{result} ({', '.join((*ending, *state))})" if ending or state else result


def _write_change(change: BotChange, name: str) -> str:
    values = (getattr(one, name) for one in (change.before, change.after))
    before, after = (number(value) if isinstance(value, int | float) else str(value or "") for value in values)
    return after if before == after else f"{before or '-'} -> {after or '-'}"


def _list_values(one: Standing) -> dict[str, object]:
    return {name: getattr(one, name) for name in (*_VALUES, "withdrawn")}


_GAMES: Final[tuple[Column[GameChange], ...]] = (
    Column("id", align="left", width="keep"),
    Column("red", value=lambda one: one.before.game.red, align="left", width="spare"),
    Column("blue", value=lambda one: one.before.game.blue, align="left", width="spare"),
    Column("before", value=lambda one: _describe(one.before, one.after), align="left"),
    Column("after", value=lambda one: _describe(one.after, one.before), align="left"),
)
_ROUNDS: Final[tuple[Column[RoundChange], ...]] = (
    Column("round", value=lambda one: one.number),
    Column("before", value=lambda one: list(one.before), align="left"),
    Column("after", value=lambda one: list(one.after), align="left"),
)


_BOTS: Final[tuple[Column[BotChange], ...]] = (
    Column("bot", align="left"),
    *(Column(name, value=partial(_write_change, name=name), on=SHOWN) for name in _VALUES),
    Column("before", value=lambda one: _list_values(one.before), on=JSON),
    Column("after", value=lambda one: _list_values(one.after), on=JSON),
)


def consequence_sheets(found: Consequences) -> Iterator[Sheet]:
    """Yield the sheets of what changes: games, the final ranking, pairings, and games to play; none that is empty."""
    tables: tuple[tuple[str, str, tuple[Column[Any], ...], tuple[Any, ...]], ...] = (
        ("Games that change", "changed_game", _GAMES, found.games),
        ("Bots that change", "changed_bot", _BOTS, found.bots),
        ("Rounds that change", "changed_round", _ROUNDS, found.rounds),
        ("Games to play", "game_to_play", (Column("id", value=str, align="left", width="keep"),), found.to_play),
    )
    for title, kind, columns, items in tables:
        if items:
            left = len(items) - _MOST_ROWS
            notes = (f"And {write_count(left, 'more row')}; --json lists all.",) if left > 0 else ()
            yield Sheet(title=title, columns=columns, items=items, kind=kind, most_rows=_MOST_ROWS, notes=notes)
