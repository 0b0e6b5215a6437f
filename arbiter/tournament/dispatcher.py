"""Dispatch fixtures: skip paused pairings, keep the games of a pair apart, make walkovers of absent bots' games."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Protocol

from msgspec import Struct

from arbiter.tournament.fixture import Fixture, find_pair
from arbiter.tournament.standings.history import NO_HISTORY, History
from arbiter.tournament.standings.stored_game import StoredGame
from arbiter.tournament.standings.suspensions import Suspensions
from protocol.reasons import AbsenceReason, Both, Disqualified, Forfeited, Suspended, Withdrawn
from protocol.words import SEATS, Seat

MOST_WAITING: Final = 10_000  # games of bots that are not ready
MOST_VOIDS: Final = 2  # voided games in a row that pause a pairing; one is enough if it is the pairing's first game
PAUSE_S: Final = 600.0  # of a pairing of a ladder after a voided game; twice as long after each further one in a row
LONGEST_PAUSE_S: Final = 86_400.0
_AWAITED: Final = 4  # pauses in a row for whose end a run waits if it has no other game

AskAbsent = Callable[[], Mapping[str, Withdrawn | Disqualified]]
"""Returns the bots that left, each with the reason."""


class FixtureSource(Protocol):
    """A source of fixtures, such as a schedule."""

    def take(self) -> Fixture | None:
        """Take the next game to play; None if others must finish first."""

    def add(self, game: StoredGame) -> None:
        """Add a finished game."""


class EarlyEnd(Protocol):
    """A reason to end the games early."""

    @property
    def is_over(self) -> bool:
        """True if no more games are needed."""

    def add(self, game: StoredGame) -> None:
        """Add a finished game."""


class Walkover(Struct, frozen=True):
    """A game that is decided without being played."""

    fixture: Fixture
    absent: tuple[Seat, ...]
    """One seat or both."""
    reason: Forfeited


class Dispatcher:
    """Source of the games to play now.

    A bot that forfeits `suspend_after` games in a row is suspended (0: never).  The remaining games of suspended and
    absent bots are walkovers.  A pairing whose games are voided is paused: its remaining games are `held` for
    another run, or until the end of the pause if the source `retries`.
    """

    def __init__(
        self,
        source: FixtureSource,
        history: History = NO_HISTORY,
        *,
        suspend_after: int = 0,
        ask_absent: AskAbsent | None = None,
        pairs_apart: bool = False,
        early_ends: Sequence[EarlyEnd] = (),
        is_ready: Callable[[str, int], bool] | None = None,
        met: Iterable[Iterable[str]] = (),
        retries: bool = False,
        is_endless: Callable[[], bool] = lambda: False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Dispatch the games of a source after the games and rulings of a history.

        `pairs_apart`: the second game of a pair waits until the first is over, because each shows the hidden pieces of
        the other.  Any of `early_ends` ends the games.  `is_ready` receives a bot and how many games it plays
        now, and returns False if it cannot begin another one; its games wait.  `met` are pairings that have finished
        games which the history contains only as a summary.  With `retries`, each voided game pauses its pairing for a
        while, and is then played again: a ladder has no other run soon.  While it `is_endless`, bots that join or come
        back play more games.
        """
        self._source = source
        self._suspend_after = suspend_after
        self._ask_absent = ask_absent
        self._met = set(map(frozenset, met))  # pairings that have finished a game
        self._voids: Counter[frozenset[str]] = Counter()  # in a row, of each pairing
        self._retries = retries
        self._is_endless = is_endless
        self._clock = clock
        self._paused_until: dict[frozenset[str], float] = {}  # if it retries
        self._pairs_apart = pairs_apart
        self._early_ends = early_ends
        self._is_ready = is_ready
        self._was_left_out = False  # a bot that is not ready, when the source chose bots last
        self._in_progress: dict[str, Fixture] = {}  # by the id of the game
        self._waiting: list[Fixture] = []  # for the other game of their pair, or because they were given back
        self._gone: Mapping[str, Withdrawn | Disqualified] = {}
        self.held: list[Fixture] = []
        self.put_off: list[Fixture] = []
        self.is_closed = False
        self.restart(history)

    def restart(self, history: History) -> None:
        """Count the finished games again after a ruling."""
        self._suspensions = Suspensions(self._suspend_after, history)
        self._met |= {_pairing(game) for game in history.games if game.ending != "walkover"}

    def close(self) -> None:
        """Give out no more games."""
        self.is_closed = True

    def take(self) -> Fixture | Walkover | None:
        """Take the next game; None if others must finish first, or if there is none left."""
        while not self.is_closed:
            gone = self._gone = (
                {} if self._ask_absent is None else self._ask_absent()
            )  # first: it may restart the source
            fixture = self._take_fixture()
            if fixture is None:
                return None
            if self.is_paused(fixture):
                self.held.append(fixture)
                continue
            absent: dict[Seat, AbsenceReason] = {}
            for seat, bot in zip(SEATS, (fixture.red, fixture.blue), strict=True):
                if bot in gone:
                    absent[seat] = gone[bot]
                elif self._suspensions.is_suspended(bot):
                    absent[seat] = Suspended(bot, self._suspensions.count(bot))
            self._in_progress[fixture.id] = fixture
            if absent:
                reasons = tuple(absent.values())
                return Walkover(fixture, tuple(absent), reasons[0] if len(reasons) == 1 else Both(reasons))
            return fixture
        return None

    def _take_fixture(self) -> Fixture | None:
        """Take the next game of the schedule that may be played at the same time as those in progress."""
        self._was_left_out = False
        if self._is_over():
            return None
        if self._retries and self.held:  # the pauses of some pairings may be over
            held, self.held = self.held, []
            for fixture in held:
                (self.held if self.is_paused(fixture) else self._waiting).append(fixture)
        in_progress = set(map(find_pair, self._in_progress.values())) if self._pairs_apart else set()
        for number, fixture in enumerate(self._waiting):
            if find_pair(fixture) not in in_progress and self._can_begin(fixture):
                return self._waiting.pop(number)
        while len(self._waiting) < MOST_WAITING and (taken := self._source.take()) is not None:
            if find_pair(taken) not in in_progress and self._can_begin(taken):
                return taken
            self._waiting.append(taken)
        return None

    def _can_begin(self, fixture: Fixture) -> bool:
        """Return True if both bots are ready, or one of them has left: then the game is a walkover."""
        bots = fixture.bots.values()
        return any(map(self._has_left, bots)) or all(map(self._has_room, bots))

    def _has_left(self, bot: str) -> bool:
        return bot in self._gone or self._suspensions.is_suspended(bot)

    def _has_room(self, bot: str) -> bool:
        return self._is_ready is None or self._is_ready(
            bot, sum(bot in (one.red, one.blue) for one in self._in_progress.values())
        )

    def may_choose(self, bot: str) -> bool:
        """Return False if a source that chooses bots leaves one out for now, because it is not ready."""
        may = self.can_begin_with(bot)
        self._was_left_out |= not may
        return may

    def can_begin_with(self, bot: str) -> bool:
        """Return True if a game of a bot can begin, or is a walkover, now."""
        return self._has_left(bot) or self._has_room(bot)

    @property
    def awaits_bots(self) -> bool:
        """True if games, or the choice of the next ones, wait for bots that are not ready, or have left."""
        waits = self._is_ready is not None and (bool(self._waiting) or self._was_left_out)
        return (waits or self._is_endless()) and not (self.is_closed or self._is_over())

    @property
    def awaits_pauses(self) -> bool:
        """True if games are played again after a pause that is not one of many in a row."""
        is_awaited = self._retries and any(self._voids[_pairing(fixture)] <= _AWAITED for fixture in self.held)
        return is_awaited and not (self.is_closed or self._is_over())

    def add(self, game: StoredGame) -> None:
        """Add a finished game."""
        self._in_progress.pop(game.id, None)
        if not game.is_unrated:
            self._suspensions.add(game)
        if game.ending != "walkover":
            self._met.add(_pairing(game))
            self._voids.pop(_pairing(game), None)
            self._paused_until.pop(_pairing(game), None)
        self._source.add(game)
        for end in self._early_ends:
            end.add(game)

    def void(self, fixture: Fixture) -> None:
        """Count a game that was voided and is not tried again at once."""
        self._in_progress.pop(fixture.id, None)
        pairing = _pairing(fixture)
        self._voids[pairing] += 1
        if self._retries:
            pause_s = min(PAUSE_S * 2.0 ** (self._voids[pairing] - 1), LONGEST_PAUSE_S)
            self._paused_until[pairing] = self._clock() + pause_s
            self.held.append(fixture)

    def is_wanted(self, fixture: Fixture) -> bool:
        """Return False if a game that was taken is not to begin any more: give it back."""
        return not (self.is_closed or any(map(self._has_left, fixture.bots.values())) or self._is_over())

    def give_back(self, fixture: Fixture) -> None:
        """Take back a game that has not begun; it may be taken again."""
        self._in_progress.pop(fixture.id, None)
        self._waiting.append(fixture)

    def _is_over(self) -> bool:
        return any(end.is_over for end in self._early_ends)

    def postpone(self, fixture: Fixture) -> None:
        """Note a game that the person at the terminal wants to play another time."""
        self._in_progress.pop(fixture.id, None)
        self.put_off.append(fixture)

    def is_paused(self, fixture: Fixture) -> bool:
        """Return True if no games of a fixture's pairing are played now."""
        pairing = _pairing(fixture)
        if self._retries:
            return self._clock() < self._paused_until.get(pairing, 0.0)
        return self._voids[pairing] >= (MOST_VOIDS if pairing in self._met else 1)


def _pairing(game: Fixture | StoredGame) -> frozenset[str]:
    """Return what identifies a pairing; voided games of unrated matches pause no other games."""
    return frozenset((game.red, game.blue, *(["~unrated"] if game.is_unrated else [])))
