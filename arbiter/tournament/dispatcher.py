"""Dispatch fixtures: skip paused pairings, keep the games of a pair apart, make walkovers of absent bots' games."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from typing import Final, Protocol

from msgspec import Struct

from arbiter.tournament.fixture import Fixture
from arbiter.tournament.ratings.sprt import SprtRun
from arbiter.tournament.standings.stored_game import StoredGame, find_forfeiters
from protocol.words import SEATS, Seat

MOST_VOIDS: Final = 2  # voided games in a row that pause a pairing; one is enough if it is the pairing's first game

_Pair = tuple[int, frozenset[str], int]  # stage, pairing, number of the pair
AskWithdrawn = Callable[[], Collection[str]]


class FixtureSource(Protocol):
    """A source of fixtures, such as a schedule."""

    def take(self) -> Fixture | None:
        """Take the next game to play; None if others must finish first."""
        ...

    def add(self, game: StoredGame) -> None:
        """Add a finished game."""
        ...


class Walkover(Struct, frozen=True):
    """A game that is decided without being played."""

    fixture: Fixture
    absent: tuple[Seat, ...]
    """One seat or both."""
    why: str


class Dispatcher:
    """Source of the games to play now.

    A bot that forfeits `suspend_after` games in a row is suspended (0: never).  The remaining games of suspended and
    withdrawn bots are walkovers.  A pairing whose games are voided is paused: its remaining games are `held` for
    another run.
    """

    def __init__(
        self,
        source: FixtureSource,
        played: Iterable[StoredGame] = (),
        *,
        suspend_after: int = 0,
        ask_withdrawn: AskWithdrawn | None = None,
        pairs_apart: bool = False,
        sprt: SprtRun | None = None,
    ) -> None:
        """Dispatch the games of a source; `played` were finished before.

        `pairs_apart`: the second game of a pair waits until the first is over, because each shows the hidden pieces of
        the other.  A decided `sprt` ends the games.
        """
        self._source = source
        self._suspend_after = suspend_after
        self._ask_withdrawn = ask_withdrawn
        self._forfeits: Counter[str] = Counter()  # in a row, of each bot
        self._met: set[frozenset[str]] = set()  # pairings that have finished a game
        self._voids: Counter[frozenset[str]] = Counter()  # in a row, of each pairing
        self._pairs_apart = pairs_apart
        self._sprt = sprt
        self._in_progress: dict[str, _Pair] = {}  # by the id of the game
        self._waiting: list[Fixture] = []  # for the other game of their pair
        self.held: list[Fixture] = []
        self.put_off: list[Fixture] = []
        self.is_closed = False
        for game in sorted(played, key=lambda game: game.started):
            self._count(game)

    def close(self) -> None:
        """Give out no more games."""
        self.is_closed = True

    def take(self) -> Fixture | Walkover | None:
        """Take the next game; None if others must finish first, or if there is none left."""
        while not self.is_closed and (fixture := self._take_fixture()) is not None:
            if self.is_paused(fixture):
                self.held.append(fixture)
                continue
            withdrawn = () if self._ask_withdrawn is None else self._ask_withdrawn()
            absent: dict[Seat, str] = {}
            for seat, bot in zip(SEATS, (fixture.red, fixture.blue), strict=True):
                if bot in withdrawn:
                    absent[seat] = f"{bot} was withdrawn"
                elif self.is_suspended(bot):
                    absent[seat] = f"{bot} is suspended after {self._forfeits[bot]} forfeits in a row"
            if self._pairs_apart:
                self._in_progress[fixture.id] = _find_pair(fixture)
            return Walkover(fixture, tuple(absent), "; ".join(dict.fromkeys(absent.values()))) if absent else fixture
        return None

    def _take_fixture(self) -> Fixture | None:
        """Take the next game of the schedule that may be played at the same time as those in progress."""
        if self._sprt is not None and self._sprt.accepted:
            return None
        in_progress = set(self._in_progress.values())
        for number, fixture in enumerate(self._waiting):
            if _find_pair(fixture) not in in_progress:
                return self._waiting.pop(number)
        while (taken := self._source.take()) is not None and _find_pair(taken) in in_progress:
            self._waiting.append(taken)
        return taken

    def add(self, game: StoredGame) -> None:
        """Add a finished game."""
        self._in_progress.pop(game.id, None)
        self._count(game)
        self._source.add(game)
        if self._sprt is not None:
            self._sprt.add(game)

    def void(self, fixture: Fixture) -> None:
        """Count a game that was voided and is not tried again."""
        self._in_progress.pop(fixture.id, None)
        self._voids[_pairing(fixture)] += 1

    def postpone(self, fixture: Fixture) -> None:
        """Note a game that its human player wants to play another time."""
        self._in_progress.pop(fixture.id, None)
        self.put_off.append(fixture)

    def is_paused(self, fixture: Fixture) -> bool:
        """Return True if no more games of a fixture's pairing are played in this run."""
        pairing = _pairing(fixture)
        return self._voids[pairing] >= (MOST_VOIDS if pairing in self._met else 1)

    def is_suspended(self, bot: str) -> bool:
        """Return True if a bot forfeits its remaining games."""
        return 0 < self._suspend_after <= self._forfeits[bot]

    def _count(self, game: StoredGame) -> None:
        if game.ending == "walkover":
            return
        pairing = _pairing(game)
        self._met.add(pairing)
        self._voids[pairing] = 0
        losers = find_forfeiters(game.winner, game.ending)
        for seat, bot in zip(SEATS, (game.red, game.blue), strict=True):
            self._forfeits[bot] = self._forfeits[bot] + 1 if seat in losers else 0


def _find_pair(fixture: Fixture) -> _Pair:
    return fixture.stage, frozenset((fixture.red, fixture.blue)), fixture.pair


def _pairing(game: Fixture | StoredGame) -> frozenset[str]:
    return frozenset((game.red, game.blue))
