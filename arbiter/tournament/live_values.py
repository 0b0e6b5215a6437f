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
    voids: int = 0
    """Number of voided games."""
    closing: bool = False
    """True if the arbiter stops after the games in progress."""
