"""The machine and the arbiter during a game: a result can be judged only if it is known how busy they were."""

import os
import platform
import re
import socket
import sys
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arbiter import __version__
from arbiter.resources import count_cores
from protocol.words import Seat


class PlayingConditions(Struct, frozen=True, kw_only=True):
    """The machine and the arbiter during one game."""

    host: str
    cores: int
    """Cores that the arbiter and the bots may use."""
    jobs: int
    """Number of games that were played at the same time."""
    load: float | None
    """Load average of the last minute at the end of the game; None if the system does not report it."""
    lag_ms: float
    """Longest stall of the arbiter's event loop during the game, in milliseconds."""
    excused: dict[Seat, int] = {}
    """Number of answers of each seat that would be late if the arbiter had not stalled; seats with none are left out."""
    sandbox: str = ""
    """Isolation of the bots; empty, as the following fields, if not known."""
    processor: str = ""
    """Model of the processor."""
    system: str = ""
    """Operating system and architecture."""
    python: str = ""
    """Version of Python."""
    arbiter: str = ""
    """Version of the arbiter."""
    speed: float | None = None
    """Measured speed of a core, 1 for the reference machine; None if it was not measured."""
    earlier_games: dict[Seat, int] = {}
    """Number of games that the process of each seat had played before; seats with a new process are left out."""


_REPEATED: Final = ("host", "sandbox", "processor", "system", "python", "arbiter")
"""Fields that are the same in many games."""
_NOTHING: Final[dict[Seat, int]] = {}
_encoder: Final = msgspec.msgpack.Encoder()
_decoder: Final = msgspec.msgpack.Decoder(PlayingConditions)


def share_conditions(conditions: PlayingConditions) -> PlayingConditions:
    """Return equal conditions that share what they can with those of other games: many are kept in memory."""
    return _decode_shared(_encoder.encode(conditions))


@lru_cache(maxsize=1000)
def _decode_shared(encoded: bytes) -> PlayingConditions:
    conditions = _decoder.decode(encoded)
    return replace(
        conditions,
        **{name: sys.intern(getattr(conditions, name)) for name in _REPEATED},
        excused=conditions.excused or _NOTHING,
        earlier_games=conditions.earlier_games or _NOTHING,
    )


@cache
def find_processor() -> str:
    """Return the model of the processor, as the system describes it."""
    try:
        found = re.search(r"^model name\s*:(.*)", Path("/proc/cpuinfo").read_text("utf-8", "replace"), re.MULTILINE)
    except OSError:
        found = None
    return " ".join((found[1] if found else platform.machine()).split())[:100]


def observe_conditions(
    jobs: int, lag_ms: float, excused: Mapping[Seat, int], sandbox: str, speed: float | None = None
) -> PlayingConditions:
    """Return the conditions of a game that is over now."""
    try:
        load = round(os.getloadavg()[0], 2)
    except OSError:
        load = None
    return PlayingConditions(
        host=socket.gethostname(),
        cores=count_cores(),
        jobs=jobs,
        load=load,
        lag_ms=round(lag_ms, 1),
        excused=dict(excused),
        sandbox=sandbox,
        processor=find_processor(),
        system=f"{platform.system()} {platform.machine()}",
        python=platform.python_version(),
        arbiter=__version__,
        speed=speed,
    )
