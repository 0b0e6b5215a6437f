"""Games and events of a tournament: as sheets, sentences and objects."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from msgspec.structs import asdict

from arbiter.errors import write_count
from arbiter.games.base import FORFEITS
from arbiter.games.ending_words import describe_ending, write_ending
from arbiter.show.tables.attempts import describe_attempt
from arbiter.show.tables.rulings import describe_rulings
from arbiter.show.tables.sheet import JSON, SHOWN, Coded, Column, Sheet
from arbiter.show.tables.standings import standings_sheet
from arbiter.show.text import json_line, plain, tidied
from arbiter.tournament.events import Audited, Began, Closing, Event, Finished, Ruled, Void
from arbiter.tournament.standings.stored_game import RuledGame, StoredGame
from arbiter.tournament.standings.table import Standing
from protocol.words import OPPONENT, RED, Seat

Rank = Callable[[], Sequence[Standing]]

_EVERY_S: Final = 1.0
_MOST_LOAD: Final = 100  # ranking takes at most a hundredth of the time


def winner_of(game: StoredGame) -> str:
    """Return the winner of a game, or the reason why there is none."""
    if game.winner:
        return game.winner
    if game.ending == "void":
        return "annulled" if isinstance(game, RuledGame) else "void"
    return "nobody" if game.ending in FORFEITS or game.ending == "double_loss" else "draw"


_GAMES: Final[tuple[Column[StoredGame], ...]] = (
    Column("id", align="left"),
    Column("round"),
    Column("red", align="left"),
    Column("blue", align="left"),
    Column("winner", text=winner_of, align="left"),
    Column("ending", value=lambda game: Coded(game.ending, game.ending_words), align="left"),
    Column("why", on=JSON),
    Column("plies"),
    Column("red_points", "red points", on=SHOWN),
    Column("blue_points", "blue points", on=SHOWN),
    Column("points", value=lambda game: {"red": tidied(game.red_points), "blue": tidied(game.blue_points)}, on=JSON),
    Column("conditions", on=JSON),
)
_RULING: Final[Column[StoredGame]] = Column(
    "ruling",
    value=lambda game: _ruling_object(game) if isinstance(game, RuledGame) else None,
    text=lambda game: game.ruling.number if isinstance(game, RuledGame) else None,
)


def games_sheet(games: Iterable[StoredGame]) -> Sheet:
    """Make the sheet of a list of games."""
    games = tuple(games)
    rulings = {game.ruling.number: game.ruling for game in games if isinstance(game, RuledGame)}
    return Sheet(
        title="Games",
        columns=(*_GAMES, _RULING) if rulings else _GAMES,
        items=games,
        kind="game",
        notes=describe_rulings(rulings.values()),
    )


def describe_game(game: StoredGame) -> str:
    """Describe the result of a game in a sentence."""
    names: dict[Seat, str] = {"red": plain(game.red), "blue": plain(game.blue)}
    red, blue = names.values()
    if game.ending == "void":
        return f"the game of {red} and {blue} is annulled"
    how = plain(describe_ending(game.winner, game.ending, game.why, game.plies, names))
    if game.ending in FORFEITS:
        how = write_ending(game.ending)
    after = f" after {write_count(game.plies, 'ply', 'plies')}" if game.plies else ""
    if game.winner:
        return f"{names[game.winner]} beats {names[OPPONENT[game.winner]]}{after}: {how}"
    if game.ending in FORFEITS or game.ending == "double_loss":
        return f"{red} and {blue} both lose{after}: {how}"
    return f"{red} and {blue} draw{after}: {how}"


def describe_forfeit(game: StoredGame) -> str:
    """Describe a forfeit or walkover in a sentence."""
    how = write_ending(game.ending)
    if game.winner is None:
        return plain(f"{game.red} and {game.blue} both forfeit ({how}): {game.why}")
    loser, winner = (game.blue, game.red) if game.winner == RED else (game.red, game.blue)
    return plain(f"{loser} forfeits against {winner} ({how}): {game.why}")


def describe_void(event: Void) -> str:
    """Describe a voided game in a sentence."""
    return f"the game of {plain(event.fixture.red)} and {plain(event.fixture.blue)} is voided: {describe_attempt(event.attempt)}"


def game_object(game: StoredGame) -> Mapping[str, object]:
    """Return a game as an object for programs."""
    return games_sheet([game]).objects[0]


def _ruling_object(game: RuledGame) -> dict[str, object]:
    """Return a ruling with the game before it, for programs."""
    ruling = game.ruling
    return {
        "number": ruling.number,
        "kind": ruling.kind,
        "by": ruling.by,
        "at": ruling.at,
        "because": ruling.because,
        "as_played": {field: getattr(game.as_played, field) for field in ("id", "winner", "ending", "why")},
    }


def event_object(event: Event) -> dict[str, Any]:
    """Return an event as an object for programs: `event` is its kind."""
    match event:
        case Began(fixture, at):
            names = {"id": fixture.id, "round": fixture.round, "red": fixture.red, "blue": fixture.blue}
            return {"event": "started", **names, "at": at}
        case Finished(game):
            return {"event": "finished", **game_object(game)}
        case Void(fixture, attempt):
            return {
                "event": "void",
                "id": fixture.id,
                "reason": attempt.reason,
                "why": attempt.why.strip().splitlines()[-1],
                "seat": attempt.seat,
                "bot": attempt.bot,
                "plies": attempt.plies,
                "lag_ms": None if attempt.conditions is None else attempt.conditions.lag_ms,
            }
        case Audited(game, second):
            same = {"event": "audited", "id": game.id, "same": second is None}
            return same if second is None else same | {"why": second.why}
        case Ruled(ruling):
            return {"event": "ruled", **asdict(ruling)}
        case Closing():
            return {"event": "closing"}


class EventStream:
    """Writes each event as a line of JSON, and the standings regularly and at the end."""

    def __init__(self, write: Callable[[str], object], rank: Rank, clock: Callable[[], float] = time.monotonic) -> None:
        self._write = write
        self._rank = rank
        self._clock = clock
        self._next_standings = clock() + _EVERY_S

    def write_begin(self, values: Mapping[str, object]) -> None:
        """Write that the run begins, with values such as the number of games."""
        self._write(json_line({"event": "begin", **values}))

    def receive(self, event: Event) -> None:
        """Write an event and, if it is time, the standings."""
        self._write(json_line(event_object(event)))
        if isinstance(event, Finished | Ruled) and self._clock() >= self._next_standings:
            self.write_standings()

    def write_standings(self) -> None:
        begun = self._clock()
        table = [dict(row) for row in standings_sheet(self._rank()).objects]
        self._write(json_line({"event": "standings", "standings": table}))
        now = self._clock()
        self._next_standings = now + max(_EVERY_S, (now - begun) * _MOST_LOAD)
