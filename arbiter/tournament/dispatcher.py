"""What stands before a schedule and says which of its games are played: all, unless a bot or a pairing is in trouble."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from typing import Final, Protocol

from msgspec import Struct

from arbiter.tournament.fixture import Fixture
from arbiter.tournament.ratings.sprt import SprtRun
from arbiter.tournament.standings.stored_game import StoredGame, forfeiters
from protocol.words import SEATS, Seat

MOST_VOIDS: Final = 2  # in a row, of one pairing; where its first game is void, one will do

Pairing = frozenset[str]


class FixtureSource(Protocol):
    """Where fixtures come from: a schedule, or what stands in for one."""

    def take(self) -> Fixture | None:
        """Take the game to be played next; None where none can be played before others are over."""
        ...

    def add(self, game: StoredGame) -> None:
        """Take note of a game that was played."""
        ...


class Walkover(Struct, frozen=True):
    """A game that is not played because one of its bots, or both, may not; `why` says so."""

    fixture: Fixture
    absent: tuple[Seat, ...]
    why: str


def nobody() -> Collection[str]:
    """Name the bots that were withdrawn: none."""
    return ()


class Dispatcher:
    """Lets the games of a schedule through one by one, until it is closed.

    A bot that forfeits `suspend_after` games running (0 = no number is too many) is suspended, and one that was
    withdrawn plays no more: what is left of their games are walkovers.  A pairing whose games come to nothing is
    paused: its games are held back, and played in another run.
    """

    def __init__(
        self,
        source: FixtureSource,
        played: Iterable[StoredGame] = (),
        *,
        suspend_after: int = 0,
        withdrawn: Callable[[], Collection[str]] = nobody,
    ) -> None:
        self._source = source
        self._suspend_after = suspend_after
        self._withdrawn = withdrawn
        self._forfeits: Counter[str] = Counter()  # running, of each bot
        self._met: set[Pairing] = set()
        self._voids: Counter[Pairing] = Counter()  # running, of each pairing
        self.held: list[Fixture] = []
        self.put_off: list[Fixture] = []
        self.is_closed = False
        for game in sorted(played, key=lambda game: game.started):
            self._count(game)

    def close(self) -> None:
        """Let nothing more through."""
        self.is_closed = True

    def take(self) -> Fixture | Walkover | None:
        """Take what comes next; None where nothing does before other games are over, or nothing at all."""
        while not self.is_closed and (fixture := self._source.take()) is not None:
            if self.is_paused(fixture):
                self.held.append(fixture)
            else:
                return self._walkover(fixture) or fixture
        return None

    def add(self, game: StoredGame) -> None:
        """Take note of a game that is kept."""
        self._count(game)
        self._source.add(game)

    def void(self, fixture: Fixture) -> None:
        """Take note of a game that came to nothing and is not tried again."""
        self._voids[_pairing(fixture)] += 1

    def postpone(self, fixture: Fixture) -> None:
        """Take note of a game that somebody would rather play another time."""
        self.put_off.append(fixture)

    def is_paused(self, fixture: Fixture) -> bool:
        """Tell whether no more games of a fixture's pairing are played in this run."""
        pairing = _pairing(fixture)
        return self._voids[pairing] >= (MOST_VOIDS if pairing in self._met else 1)

    def is_suspended(self, bot: str) -> bool:
        """Tell whether a bot forfeits what is left of its games."""
        return 0 < self._suspend_after <= self._forfeits[bot]

    def _count(self, game: StoredGame) -> None:
        if game.ending == "walkover":
            return
        pairing = _pairing(game)
        self._met.add(pairing)
        self._voids[pairing] = 0
        losers = forfeiters(game.winner, game.ending)
        for seat in SEATS:
            bot = _bot(game, seat)
            self._forfeits[bot] = self._forfeits[bot] + 1 if seat in losers else 0

    def _walkover(self, fixture: Fixture) -> Walkover | None:
        absent = {seat: why for seat in SEATS if (why := self._absence(_bot(fixture, seat)))}
        return Walkover(fixture, tuple(absent), "; ".join(dict.fromkeys(absent.values()))) if absent else None

    def _absence(self, bot: str) -> str | None:
        if bot in self._withdrawn():
            return f"{bot} was withdrawn"
        if self.is_suspended(bot):
            return f"{bot} is suspended after {self._forfeits[bot]} forfeits running"
        return None


def _pairing(game: Fixture | StoredGame) -> Pairing:
    return frozenset((game.red, game.blue))


def _bot(game: Fixture | StoredGame, seat: Seat) -> str:
    name: str = getattr(game, seat)
    return name


class UntilDecided:
    """Gives out a schedule's games until a trial has its verdict."""

    def __init__(self, source: FixtureSource, trial: SprtRun) -> None:
        self._source = source
        self._trial = trial

    def take(self) -> Fixture | None:
        """Take the game to be played next; None where none is needed."""
        return None if self._trial.verdict else self._source.take()

    def add(self, game: StoredGame) -> None:
        """Take note of a game that was played."""
        self._source.add(game)
        self._trial.add(game)
