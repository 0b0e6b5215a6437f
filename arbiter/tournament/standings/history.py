"""The games of a tournament as they count: the stored games and the rulings of the organiser on them."""

import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from arbiter.games.base import Ending
from arbiter.tournament.fixture import RoundBye
from arbiter.tournament.standings.stored_game import (
    SYSTEMS,
    Points,
    RuledGame,
    RuledResult,
    Ruling,
    StoredGame,
    find_forfeiters,
    score,
)
from protocol.words import BLUE, RED, SEATS, Seat

_REPLAY: Final = re.compile(r"~r([0-9]+)$")
_BYE: Final = "~bye"


class History(Struct, frozen=True, dict=True):
    """The stored games and rulings of a tournament.

    This is the only place that applies rulings.  Everything that counts games takes `games`.
    """

    as_played: tuple[StoredGame, ...] = ()
    """In the order in which they were stored."""
    rulings: tuple[Ruling, ...] = ()
    points: Points = SYSTEMS["isf"]

    @property
    def rounds(self) -> int:
        """The number of rounds that were paired when the last ruling was made."""
        return max((ruling.rounds for ruling in self.rulings), default=0)

    @cached_property
    def games(self) -> tuple[StoredGame, ...]:
        """The games as they count now."""
        return self._apply_to_all(self._now)

    @cached_property
    def in_order(self) -> list[StoredGame]:
        """The games as they count now, in the order of the schedule."""
        return sorted(self.games, key=lambda game: (game.round, min(game.red, game.blue), game.pair, game.red))

    def games_before(self, number: int) -> tuple[StoredGame, ...]:
        """Return the games as they counted when the round of a number was paired, by the rulings made until then."""
        return self.games if number > self.rounds else self._apply_to_all(self._decide(number))

    @cached_property
    def in_force(self) -> tuple[Ruling, ...]:
        """The rulings that are not reverted."""
        return find_rulings_in_force(self.rulings)

    @property
    def footnotes(self) -> tuple[Ruling, ...]:
        """The rulings in force on these games, and on bots and byes; not those on games of another series."""
        known = {find_base(game.id) for game in self.as_played}
        return tuple(
            ruling
            for ruling in self.in_force
            if ruling.game is None or _BYE in ruling.game or find_base(ruling.game) in known
        )

    @cached_property
    def disqualified(self) -> frozenset[str]:
        """The bots that are disqualified."""
        return frozenset(ruling.bot for ruling in self.in_force if ruling.kind == "disqualify" and ruling.bot)

    def find_current_id(self, game_id: str) -> str:
        """Return the id under which a game of the schedule is played now: its own, or that of its last replay."""
        while (ruling := self._now.on_games.get(game_id)) is not None and ruling.replacement is not None:
            game_id = ruling.replacement
        return game_id

    def is_current(self, game_id: str) -> bool:
        """Return False if another game is played instead of this one."""
        return self._now.is_current(game_id)

    def apply(self, game: StoredGame) -> StoredGame | None:
        """Return a stored game as it counts now; None if another one is played instead of it."""
        return self._apply(game, self._now)

    def find_bye_ruling(self, bye: RoundBye, before: int | None = None) -> Ruling | None:
        """Return the ruling on a bye that is in force, or was when the round of a number was paired."""
        decisions = self._now if before is None or before > self.rounds else self._decide(before)
        return decisions.on_games.get(make_bye_id(bye))

    def apply_to_bye(self, bye: RoundBye, before: int | None = None) -> RoundBye:
        """Return a bye as it counts now, or as it counted when the round of a number was paired."""
        ruling = self.find_bye_ruling(bye, before)
        if ruling is None or ruling.result == "red":
            return bye
        if ruling.result == "draw":
            return replace(bye, points=self.points.draw * bye.games, share=0.5)
        return replace(bye, points=0.0, share=0.0)

    @cached_property
    def _now(self) -> "_Decisions":
        return _Decisions(self.in_force)

    def _decide(self, number: int) -> "_Decisions":
        """Return what was decided when the round of a number was paired."""
        return _Decisions(find_rulings_in_force(ruling for ruling in self.rulings if ruling.rounds < number))

    @cached_property
    def _stored(self) -> Mapping[str, StoredGame]:
        return {game.id: game for game in self.as_played}

    def _apply_to_all(self, decisions: "_Decisions") -> tuple[StoredGame, ...]:
        return tuple(game for played in self.as_played if (game := self._apply(played, decisions)) is not None)

    def _apply(self, played: StoredGame, decisions: "_Decisions") -> StoredGame | None:
        if not decisions.is_current(played.id):
            return None
        game = played
        ruling = decisions.on_games.get(played.id)
        if ruling is not None:
            game = _apply_result(played, ruling, self.points)
        elif (replay := decisions.replays.get(played.id)) is not None:
            game = _mark(played, replay, self._stored.get(replay.game or "", played))
        # A ruling on a game outweighs an earlier one on a bot, and a game that is annulled stays so.
        since = 0 if ruling is None else ruling.number
        found = (decisions.disqualifications.get(bot) for bot in (played.red, played.blue))
        later = [one for one in found if one is not None and one.number > since]
        if not later or game.ending == "void":
            return game
        winner = next((seat for seat in SEATS if getattr(game, seat) not in {one.bot for one in later}), None)
        return _mark(_with_winner(game, winner, "walkover", self.points), later[0], game)


NO_HISTORY: Final = History()


class _Decisions:
    """Rulings in force, by what they are about."""

    def __init__(self, rulings: Iterable[Ruling]) -> None:
        rulings = tuple(rulings)
        self.on_games = {ruling.game: ruling for ruling in rulings if ruling.game is not None}  # the last on each
        self.replays = {one.replacement: one for one in self.on_games.values() if one.replacement is not None}
        self.disqualifications = {one.bot: one for one in rulings if one.kind == "disqualify"}

    def is_current(self, game_id: str) -> bool:
        """Return True if a stored game is the last game of its fixture."""
        if game_id in self.on_games and self.on_games[game_id].kind == "replay":
            return False
        while find_base(game_id) != game_id:
            ruling = self.replays.get(game_id)
            if ruling is None or ruling.game is None:
                return False
            game_id = ruling.game
        return True


def find_rulings_in_force(rulings: Iterable[Ruling]) -> tuple[Ruling, ...]:
    """Return the rulings that no other one of them reverts."""
    rulings = tuple(rulings)
    undone = {ruling.undoes for ruling in rulings}
    return tuple(ruling for ruling in rulings if ruling.kind != "undo" and ruling.number not in undone)


def find_base(game_id: str) -> str:
    """Return the id that a game has in the schedule: without the number of its replay."""
    return _REPLAY.sub("", game_id) if "~r" in game_id else game_id


def make_replay_id(game_id: str, known: Iterable[str]) -> str:
    """Make the id of the next replay of a game; `known` are the ids of all games and replays so far."""
    base = find_base(game_id)
    used = [int(found[1]) for other in known if (found := _REPLAY.search(other)) and find_base(other) == base]
    return f"{base}~r{max(used, default=1) + 1}"


def make_bye_id(bye: RoundBye) -> str:
    """Make the id of a bye for rulings.  No game has such an id."""
    return f"{bye.bot}{_BYE}{bye.round}"


def find_result(game: StoredGame) -> RuledResult:
    """Return the result of a game in the words of rulings."""
    if game.ending == "void":
        return "annulled"
    if game.winner is not None:
        return game.winner
    return "none" if find_forfeiters(None, game.ending) or game.ending == "double_loss" else "draw"


def _apply_result(game: StoredGame, ruling: Ruling, points: Points) -> StoredGame:
    """Return a game with the result of a ruling."""
    if ruling.result == "annulled":
        return _mark(replace(game, winner=None, ending="void", red_points=0.0, blue_points=0.0), ruling, game)
    winner = next((seat for seat in SEATS if seat == ruling.result), None)
    ending: Ending = "double_loss" if ruling.result == "none" else "ruling"
    return _mark(_with_winner(game, winner, ending, points), ruling, game)


def _with_winner(game: StoredGame, winner: Seat | None, ending: Ending, points: Points) -> StoredGame:
    worth = score(points, winner, ending)
    return replace(game, winner=winner, ending=ending, red_points=worth[RED], blue_points=worth[BLUE])


def _mark(game: StoredGame, ruling: Ruling, before: StoredGame) -> RuledGame:
    """Mark a game with the ruling that gave it its result; a replay keeps its own explanation."""
    values = {field: getattr(game, field) for field in StoredGame.__struct_fields__}
    if ruling.kind != "replay":
        values["why"] = f"ruling {ruling.number}: {ruling.because}"
    return RuledGame(**values, ruling=ruling, as_played=before)
