"""Executor: a place where the games of a tournament are played, such as this process or a cluster."""

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Final, Protocol, Self, TypeGuard, get_args

from msgspec import Struct

from arbiter.errors import ConfigError
from arbiter.record import Follow
from arbiter.referee.game import GameSpec, PlayedGame
from arbiter.sandbox.isolation import KillEvidence
from arbiter.tournament.events import Attempt, Reason, Void
from arbiter.tournament.fixture import Fixture
from arbiter.tournament.machine import PlayingConditions

# --- excuses for killed bots ----------------------------------------------------------------------

# One replay for each game, and one for each bot if it may have done it itself.


_CERTAIN: Final[Reason] = "sandbox_killed"


def is_kill(reason: Reason) -> TypeGuard[KillEvidence]:
    """Return True if an attempt was voided because a bot was killed."""
    return reason in get_args(KillEvidence)


class UsedExcuses(Struct, frozen=True):
    """The replays that the bots of one game have used up."""

    in_game: frozenset[str] = frozenset()
    """Bots that have used the one of the game."""
    in_tournament: frozenset[str] = frozenset()
    """Bots that have used the one of the tournament."""


class Excuses:
    """The replays that killed bots have used up in a tournament.

    A bot can kill itself, or use so much memory that the machine kills it.  So it has one such replay in the whole
    tournament: otherwise it could void each game that it is losing.  A kill that no bot can cause is excused in every
    game, but only once.
    """

    def __init__(self, attempts: Iterable[Attempt] = ()) -> None:
        """Count the voided attempts of earlier runs."""
        self._games: set[tuple[str, str]] = set()
        self._bots: set[str] = set()
        for attempt in attempts:
            if is_kill(attempt.reason) and attempt.bot is not None:
                self._note(attempt.id, attempt.bot, attempt.reason)

    def use(self, game_id: str, bot: str, evidence: KillEvidence) -> bool:
        """Return True if the game is voided because a bot was killed; False if the bot loses it."""
        if (game_id, bot) in self._games or (evidence != _CERTAIN and bot in self._bots):
            return False
        self._note(game_id, bot, evidence)
        return True

    def list_used(self, game_id: str, bots: Collection[str]) -> UsedExcuses:
        """List what the bots of a game have used up."""
        return UsedExcuses(
            frozenset(bot for bot in bots if (game_id, bot) in self._games), frozenset(self._bots.intersection(bots))
        )

    @classmethod
    def of_game(cls, game_id: str, used: UsedExcuses) -> Self:
        """Make the excuses of one game from what its bots have used up."""
        excuses = cls()
        excuses._games = {(game_id, bot) for bot in used.in_game}
        excuses._bots = set(used.in_tournament)
        return excuses

    def _note(self, game_id: str, bot: str, reason: Reason) -> None:
        self._games.add((game_id, bot))
        if reason != _CERTAIN:
            self._bots.add(bot)


# --- executors ------------------------------------------------------------------------------------


NoteVoid = Callable[[Void], Awaitable[None]]
"""Stores and announces a voided game."""


class Played(Struct, frozen=True):
    """A game that an executor has played."""

    game: PlayedGame
    conditions: PlayingConditions


class GameTask(Struct, frozen=True, kw_only=True):
    """A game for an executor to play, and what happens meanwhile."""

    fixture: Fixture
    make_spec: Callable[[float | None], GameSpec]
    """Makes the game for a machine of a speed; None if the speed was not measured."""
    excuses: Excuses
    """Decide if the game is voided when a bot is killed."""
    began: Callable[[], None]
    """Called when the game begins, maybe long after it was handed over."""
    is_wanted: Callable[[], bool]
    """Returns False if the game is not to begin any more, because the run is being stopped."""
    note: NoteVoid
    """Awaited if the game is voided, even if the run is stopped."""
    follow: Follow | None = None
    """Called with each line of the record while the game is played."""
    played_by: Callable[[str], object] | None = None
    """Called with the address of the worker that has played the game, if a worker did."""


class Executor(Protocol):
    """A place where games are played."""

    isolation: str
    """Name of the isolation of the bots."""

    @property
    def capacity(self) -> int:
        """The number of games that can be handed over now, including those in progress."""

    def open(
        self, changed: Callable[[], None], fail: Callable[[ConfigError], None], /
    ) -> AbstractAsyncContextManager[None]:
        """Prepare to play, and clean up at the end.

        `changed` is called when the capacity has changed, `fail` when no more games can be played.
        """

    @property
    def restarts(self) -> Mapping[str, int]:
        """For each bot, how often a process that had played a game could not play another one."""

    def discard(self, bots: Collection[str], /) -> None:
        """End the processes of bots that wait for another game."""

    async def try_game(self, task: GameTask) -> Played | Void | None:
        """Try once to play a game; None if it is not wanted any more before it begins.

        When this returns or is cancelled, its bots have ended.  Raises ConfigError.
        """
