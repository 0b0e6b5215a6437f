"""Events of a running tournament: everything that happens in a run, as one union of tagged values.

The files next to the results, the pages, the commands, the Python interface and other processes receive these values.
"""

from collections.abc import Callable, Collection
from typing import Final, Literal

from msgspec import Struct

from arbiter.languages.sentences import write_reason
from arbiter.tournament.fixture import Fixture
from arbiter.tournament.machine import Jobs, PlayingConditions
from arbiter.tournament.standings.stored_game import Ruling, StoredGame
from arbiter.tournament.standings.table import Standing
from arbiter.transcript import GameLog
from protocol.reasons import Voided
from protocol.words import Seat

# --- voided attempts ------------------------------------------------------------------------------


VoidCause = Literal[
    "sandbox_killed", "out_of_memory", "killed", "lost_connections", "error", "lost", "refused", "stopped", "audit"
]
"""The cause of a voided attempt.

sandbox_killed, out_of_memory, killed: a bot was ended by a SIGKILL that the arbiter did not send.  It hit the sandbox,
the machine was out of memory, or the sender is not known.  lost_connections: the arbiter's side had cut the connection
of a remote program.  error: the arbiter failed.  lost: the worker that played the game was lost.  refused: the result
that the worker sent is not one of this game.  stopped: the run was stopped, or the arbiter was killed. audit: the game
was played again after its end, on another machine, and differs; no result was changed.
"""
_SAME_DEAL: Final[tuple[VoidCause, ...]] = ("lost", "refused", "stopped", "audit")


class Attempt(Struct, frozen=True, kw_only=True):
    """A voided attempt to play a fixture; the results store it."""

    id: str
    """Id of the fixture."""
    round: int
    red: str
    blue: str
    started: str
    """ISO 8601 in UTC."""
    seconds: float
    """Duration by the wall clock."""
    cause: VoidCause
    reason: Voided
    seat: Seat | None = None
    """The seat whose bot was killed, otherwise the seat whose turn it was; None if both or neither are to act."""
    plies: int = 0
    conditions: PlayingConditions | None = None
    """None if the arbiter itself was killed."""

    @property
    def why(self) -> str:
        """The reason as an English sentence."""
        return write_reason(self.reason)

    @property
    def bot(self) -> str | None:
        """The bot of the seat."""
        return None if self.seat is None else self.red if self.seat == "red" else self.blue

    def needs_deal(self, programs: Collection[str]) -> bool:
        """Return True if the game is played again with other seeds, decks and deployments.

        They stay if the run or the worker has ended: then no player is the cause, and the games of a run that is
        resumed, or that loses workers, are those of one that is not.  But players that are no `programs` of this
        machine remember what they have seen.
        """
        return self.cause not in _SAME_DEAL or (
            self.cause == "stopped" and not (self.red in programs and self.blue in programs)
        )


def make_attempt(
    game: Fixture | StoredGame, cause: VoidCause, reason: Voided, started: str, seconds: float = 0.0
) -> Attempt:
    """Make the attempt to play a fixture, or to play a stored game again, without what is known of its course."""
    return Attempt(
        id=game.id,
        round=game.round,
        red=game.red,
        blue=game.blue,
        started=started,
        seconds=round(seconds, 3),
        cause=cause,
        reason=reason,
    )


# --- events ---------------------------------------------------------------------------------------


NO_LOG: Final = GameLog()


class RunBegan(Struct, frozen=True, tag="begin"):
    """The run began: no game of it has begun yet."""

    total: int
    """Number of games of the tournament, as far as it can be foreseen."""
    played: int
    """Number of them that earlier runs have played."""
    jobs: Jobs
    """Number of games at a time."""


class Began(Struct, frozen=True, tag="started"):
    """A game began."""

    fixture: Fixture
    at: str
    """ISO 8601 in UTC."""
    host: str = ""
    """Name of the machine that plays it."""
    worker: str = ""
    """Address of the worker that plays it; empty if the arbiter plays it itself."""


class Acted(Struct, frozen=True, tag="act"):
    """A game in progress got another line of its record; only in runs that show games in progress."""

    game: str
    """Id of the game."""
    line: bytes
    """The line as JSON: first the header, then one line for each act."""


class Finished(Struct, frozen=True, tag="finished"):
    """A game is over and stored."""

    game: StoredGame


class Void(Struct, frozen=True, tag="void"):
    """A game was voided; the attempt is stored if the results are."""

    fixture: Fixture
    attempt: Attempt
    log: GameLog = NO_LOG
    """The messages before the failure, if they were kept."""


class Audited(Struct, frozen=True, tag="audited"):
    """A game was played again on another machine."""

    game: StoredGame
    """The game as it is stored."""
    attempt: Attempt | None = None
    """The second play if it differs, which is stored; None if it is the same."""


class Ruled(Struct, frozen=True, tag="ruled"):
    """A ruling of the organiser was taken up, and all games were counted again."""

    ruling: Ruling


class Progress(Struct, frozen=True, tag="standings"):
    """The state of the tournament, about once a second while games finish, and at the end."""

    played: int
    total: int
    standings: tuple[Standing, ...]
    """The standings of the latest stage."""


class Presence(Struct, frozen=True, tag="presence"):
    """A player over the network can play now, or has lost its connection."""

    bot: str
    present: bool


class Notice(Struct, frozen=True, tag="notice"):
    """Something that the operator should know, such as a warning, or a worker that has joined."""

    text: str


class Closing(Struct, frozen=True, tag="closing"):
    """No more games begin; playing stops when the games in progress are over."""


Event = RunBegan | Began | Acted | Finished | Void | Audited | Ruled | Progress | Presence | Notice | Closing
EventHandler = Callable[[Event], None]


# --- a run as other processes see it --------------------------------------------------------------


class LockOwner(Struct, frozen=True):
    """The process that has a tournament's results open for writing."""

    pid: int
    host: str
    since: str
    """ISO 8601 in UTC."""


class LiveStatus(Struct, frozen=True):
    """The state of a running tournament since the arbiter was started."""

    games: tuple[Began, ...] = ()
    """Games in progress."""
    finished: int = 0
    """Number of games that are finished since the start."""
    since: float = 0.0
    """Time of the start, in seconds of the monotonic clock of the machine."""
    begun: dict[str, float] = {}
    """Time at which each game in progress began, by its id, on the same clock."""
    closing: bool = False
    """True if the arbiter stops after the games in progress."""
    present: tuple[str, ...] = ()
    """The players over the network that can play."""
    gateway: str = ""
    """Address at which they connect; empty if none do."""
    pages: str = ""
    """Address of the web pages; empty if there are none."""
