"""What another shell can be told of a tournament that is being played: who plays it, and which games."""

from msgspec import Struct

from arbiter.tournament.events import Began


class LockOwner(Struct, frozen=True):
    """Who has a tournament's results open for writing, and since when (ISO 8601 in UTC)."""

    pid: int
    host: str
    since: str


class LiveStatus(Struct, frozen=True):
    """The games that are being played, how many came to nothing since the arbiter was started, whether it stops after these."""

    games: tuple[Began, ...] = ()
    voids: int = 0
    closing: bool = False
