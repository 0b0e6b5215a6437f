"""The games of a tournament as they count: the stored games and the rulings of the organiser on them."""

import re
from bisect import insort
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
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
    RulingKind,
    StoredGame,
    find_absent,
    find_forfeiters,
    is_suspension_walkover,
    score,
)
from protocol.reasons import ByRuling
from protocol.words import BLUE, RED, SEATS, Seat

_REPLAY: Final = re.compile(r"~r([0-9]+)$")
_BYE: Final = "~bye"


class SavedLadder(Struct, frozen=True):
    """State with which a ladder continues after its first games."""

    state: bytes
    digests: tuple[bytes, ...] = ()
    """Digests of the different games, in blocks."""


class Earlier(Struct, frozen=True):
    """Summary of the first games of a ladder, with the rulings that were in force then."""

    games: int
    """The number of stored games."""
    rulings: int
    last_round: int
    played: Mapping[str, int]
    """The number of games by bot."""
    walkovers: tuple[tuple[int, StoredGame], ...]
    """The games that a bot lost because it was absent, each with the number of games before it."""
    forfeits: tuple[StoredGame, ...]
    """The games that bots forfeited in a row at the end of theirs, since they were last reinstated."""
    ladder: SavedLadder


class History(Struct, frozen=True, dict=True):
    """The stored games and rulings of a tournament.

    This is the only place that applies rulings.  Everything that counts games takes `games`.
    """

    as_played: tuple[StoredGame, ...] = ()
    """In the order in which they were stored."""
    rulings: tuple[Ruling, ...] = ()
    points: Points = SYSTEMS["isf"]
    earlier: Earlier | None = None
    """The games before those of `as_played`."""

    @property
    def count(self) -> int:
        """The number of stored games."""
        return len(self.as_played) + (0 if self.earlier is None else self.earlier.games)

    @property
    def last_round(self) -> int:
        """The highest number of the round of a stored game; 0 without games."""
        return max(
            (game.round for game in self.as_played), default=0 if self.earlier is None else self.earlier.last_round
        )

    def count_games(self) -> Counter[str]:
        """Count the stored games of each bot."""
        played = Counter(bot for game in self.as_played for bot in (game.red, game.blue))
        return played if self.earlier is None else played + Counter(self.earlier.played)

    @property
    def rounds(self) -> int:
        """The number of rounds that had begun when the last ruling on results was made."""
        withdrawals = {ruling.number for ruling in self.rulings if ruling.kind == "withdraw"}
        return max(
            (one.rounds for one in self.rulings if not withdrawals & {one.number, one.undoes}),
            default=0,
        )

    @cached_property
    def games(self) -> tuple[StoredGame, ...]:
        """The games as they count now."""
        return tuple(game for played in self.as_played if (game := self.apply(played)) is not None)

    @cached_property
    def in_order(self) -> list[StoredGame]:
        """The games as they count now, in the order of the schedule."""
        return sorted(self.games, key=order_in_schedule)

    def extend(self, games: Sequence[StoredGame]) -> "History":
        """Return the history with more games, without counting the others again if there are no rulings."""
        longer = replace(self, as_played=(*self.as_played, *games))
        if not self.rulings:
            in_order = [*self.in_order]
            for game in games:
                insort(in_order, game, key=order_in_schedule)
            vars(longer).update(games=(*self.games, *games), in_order=in_order)
        return longer

    def before(self, number: int) -> "History":
        """Return the history by the rulings that were made before the round of a number began."""
        made = tuple(ruling for ruling in self.rulings if ruling.rounds < number)
        if len(made) == len(self.rulings):
            return self
        numbers = tuple(ruling.number for ruling in made)
        if numbers not in self._earlier:
            self._earlier[numbers] = replace(self, rulings=made)
        return self._earlier[numbers]

    @cached_property
    def _earlier(self) -> dict[tuple[int, ...], "History"]:
        return {}

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
        return self._list_bots("disqualify")

    @cached_property
    def withdrawn(self) -> frozenset[str]:
        """The bots that are withdrawn."""
        return self._list_bots("withdraw")

    def _list_bots(self, kind: RulingKind) -> frozenset[str]:
        return frozenset(ruling.bot for ruling in self.in_force if ruling.kind == kind and ruling.bot)

    def find_gone(self, games: Iterable[StoredGame]) -> frozenset[str]:
        """Return the bots that are not paired after these games, and qualify for the next stage last.

        They are withdrawn or disqualified, or lost one of the games by walkover and were not let back since.
        """
        left = self.withdrawn | self.disqualified
        known = {one.bot for one in self.rulings if one.kind in {"withdraw", "disqualify"} and one.bot}
        return left | find_absent(games, known - left, self.lifted)

    @cached_property
    def lifted(self) -> frozenset[tuple[str, str]]:
        """Ids of walkovers of suspended bots, each with its bot, which has been reinstated since."""
        return frozenset(
            (game.id, ruling.bot)
            for ruling in self.in_force
            if ruling.kind == "reinstate" and ruling.bot is not None
            for number, game in self.walkovers
            if number < ruling.games and is_suspension_walkover(game, ruling.bot)
        )

    @cached_property
    def walkovers(self) -> list[tuple[int, StoredGame]]:
        """The walkovers as they were stored, each with the number of games before it."""
        earlier = () if self.earlier is None else self.earlier.walkovers
        later = enumerate(self.as_played, start=self.count - len(self.as_played))
        return [*earlier, *((number, game) for number, game in later if game.ending == "walkover")]

    def find_current_id(self, game_id: str) -> str:
        """Return the id under which a game of the schedule is played now: its own, or that of its last replay."""
        while (replay := self._now.replaced.get(game_id)) is not None:
            game_id = replay
        return game_id

    def is_current(self, game_id: str) -> bool:
        """Return False if another game is played instead of this one."""
        return self._now.is_current(game_id)

    def apply(self, game: StoredGame) -> StoredGame | None:
        """Return a stored game as it counts now; None if another one is played instead of it."""
        if not self._now.is_current(game.id):
            return None
        counted = game
        ruling = self._now.on_games.get(game.id)
        if ruling is not None:
            counted = _apply_result(game, ruling, self.points)
        elif (found := self._now.replays.get(game.id)) is not None:
            replaced, replay = found
            counted = _mark(game, replay, self._stored.get(replaced, game))
        # A ruling on a game outweighs an earlier one on a bot, and a game that is annulled stays so.
        since = 0 if ruling is None else ruling.number
        both = (self._now.disqualifications.get(bot) for bot in (game.red, game.blue))
        later = [one for one in both if one is not None and one.number > since and game.round >= one.first_round]
        if not later or counted.ending == "annulled":
            return counted
        winner = next((seat for seat in SEATS if getattr(game, seat) not in {one.bot for one in later}), None)
        if counted.ending == "walkover" and counted.winner == winner:
            return counted
        return _mark(_with_winner(counted, winner, "disqualified", self.points), later[0], counted)

    def find_bye_ruling(self, bye: RoundBye) -> Ruling | None:
        """Return the ruling on a bye that is in force."""
        return self._now.on_games.get(make_bye_id(bye))

    def apply_to_bye(self, bye: RoundBye) -> RoundBye:
        """Return a bye as it counts now."""
        ruling = self.find_bye_ruling(bye)
        if ruling is None or ruling.result == "red":
            return bye
        if ruling.result == "draw":
            return replace(bye, points=self.points.draw * bye.games, share=0.5)
        return replace(bye, points=0.0, share=0.0)

    @cached_property
    def _now(self) -> "_Decisions":
        return _Decisions(self)

    @cached_property
    def _stored(self) -> Mapping[str, StoredGame]:
        return {game.id: game for game in self.as_played}


NO_HISTORY: Final = History()


class _Decisions:
    """Rulings in force, by what they are about."""

    def __init__(self, history: History) -> None:
        in_force = history.in_force
        self.on_games = {one.game: one for one in in_force if one.game is not None}  # the last on each
        kept = (one for one in history.rulings if one.kind == "undo" and one.replays)
        again = (
            (game_id, replay, one)
            for one in (*kept, *in_force)
            for game_id, replay in one.replacements.items()
            if self.on_games.get(game_id) in (None, one)
        )
        self.replaced: dict[str, str] = {}
        """Ids of games that are played again, each with the id of the game that is played instead."""
        self.replays: dict[str, tuple[str, Ruling]] = {}
        """By the id of the game that is played: the id of the game that it replaces, and the ruling."""
        for game_id, replay, ruling in again:
            self.replaced[game_id] = replay
            self.replays[replay] = game_id, ruling
        self.disqualifications = {one.bot: one for one in in_force if one.kind == "disqualify"}

    def is_current(self, game_id: str) -> bool:
        """Return True if a stored game is the last game of its fixture."""
        if game_id in self.replaced:
            return False
        while find_base(game_id) != game_id:
            if game_id not in self.replays:
                return False
            game_id, _ = self.replays[game_id]
        return True


def order_in_schedule(game: StoredGame) -> tuple[int, str, int, str]:
    """Return what orders games as the schedule does."""
    return game.round, min(game.red, game.blue), game.pair, game.red


def find_rulings_in_force(rulings: Iterable[Ruling]) -> tuple[Ruling, ...]:
    """Return the rulings that no other one of them reverts."""
    rulings = tuple(rulings)
    undone = {ruling.undoes for ruling in rulings}
    return tuple(ruling for ruling in rulings if ruling.kind != "undo" and ruling.number not in undone)


def find_kind(ruling: Ruling, rulings: Sequence[Ruling]) -> RulingKind:
    """Return the kind of a ruling or, if it reverts another one, of that one."""
    return ruling.kind if ruling.undoes is None else rulings[ruling.undoes - 1].kind


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
    if game.ending == "annulled":
        return "annulled"
    if game.winner is not None:
        return game.winner
    return "none" if find_forfeiters(None, game.ending) or game.ending == "double_loss" else "draw"


def _apply_result(game: StoredGame, ruling: Ruling, points: Points) -> StoredGame:
    """Return a game with the result of a ruling."""
    if ruling.result == "annulled":
        return _mark(replace(game, winner=None, ending="annulled", red_points=0.0, blue_points=0.0), ruling, game)
    winner = next((seat for seat in SEATS if seat == ruling.result), None)
    ending: Ending = "double_loss" if ruling.result == "none" else "ruling"
    return _mark(_with_winner(game, winner, ending, points), ruling, game)


def _with_winner(game: StoredGame, winner: Seat | None, ending: Ending, points: Points) -> StoredGame:
    worth = score(points, winner, ending)
    return replace(game, winner=winner, ending=ending, red_points=worth[RED], blue_points=worth[BLUE])


def _mark(game: StoredGame, ruling: Ruling, before: StoredGame) -> RuledGame:
    """Mark a game with the ruling that gave it its result; a replay keeps its own explanation."""
    values = {field: getattr(game, field) for field in StoredGame.__struct_fields__}
    if game.id not in ruling.replacements.values():
        values["reason"] = ByRuling(ruling.number, ruling.reason)
    return RuledGame(**values, ruling=ruling, as_played=before)
