"""Executor: a place where the games of a tournament are played, such as this process or a cluster."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from msgspec import Struct

from arbiter.errors import ConfigError
from arbiter.record import Follow
from arbiter.referee.game import GameSpec, PlayedGame
from arbiter.tournament.conditions import PlayingConditions
from arbiter.tournament.events import Void
from arbiter.tournament.excuses import Excuses
from arbiter.tournament.fixture import Fixture

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
        ...

    def open(
        self, changed: Callable[[], None], fail: Callable[[ConfigError], None], /
    ) -> AbstractAsyncContextManager[None]:
        """Prepare to play, and clean up at the end.

        `changed` is called when the capacity has changed, `fail` when no more games can be played.
        """
        ...

    @property
    def restarts(self) -> Mapping[str, int]:
        """For each bot, how often a process that had played a game could not play another one."""
        ...

    def discard(self, bots: Collection[str], /) -> None:
        """End the processes of bots that wait for another game."""
        ...

    async def try_game(self, task: GameTask) -> Played | Void | None:
        """Try once to play a game; None if it is not wanted any more before it begins.

        When this returns or is cancelled, its bots have ended.  Raises ConfigError.
        """
        ...
