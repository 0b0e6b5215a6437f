"""What a step of the examination found, as a value."""

from typing import Final, Literal

from msgspec import Struct

from arbiter.preflight.evidence import Evidence
from arbiter.preflight.mistakes import Explanation, explain

Status = Literal["ok", "advice", "failed", "skipped"]
WENT_WELL: Final[tuple[Status, ...]] = ("ok", "advice")


class Finding(Struct, frozen=True, kw_only=True):
    """How a step ended, in a sentence; `advice` is what no tournament punishes but an author will want to know.

    Where the bot failed: what was seen, the mistake it is explained by, and the record of the game.
    """

    status: Status
    says: str
    seen: Evidence | None = None
    mistake: Explanation | None = None
    record: bytes | None = None


def well(says: str) -> Finding:
    """Find all well."""
    return Finding(status="ok", says=says)


def advise(says: str) -> Finding:
    """Find something that no tournament punishes."""
    return Finding(status="advice", says=says)


def skipped(says: str) -> Finding:
    """Find nothing, because there was nothing to look at."""
    return Finding(status="skipped", says=says)


def failed(says: str, seen: Evidence, record: bytes | None = None) -> Finding:
    """Find a failure, and explain it where it is a mistake known here."""
    return Finding(status="failed", says=says, seen=seen, mistake=explain(seen), record=record)
