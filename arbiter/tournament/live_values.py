"""The status of a running tournament, as other processes see it."""

from msgspec import Struct

from arbiter.tournament.events import Began


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
