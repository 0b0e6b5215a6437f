"""The machine that plays: its speed, the number of games at a time, and how busy it was during a game.

A result can be judged only if it is known how busy the machine and the arbiter were.
"""

import math
import os
import platform
import re
import socket
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from heapq import nlargest
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arbiter import __version__
from arbiter.clock import NetworkTimes, TimeSettings
from arbiter.errors import ConfigError, write_count
from arbiter.resources import count_cores, find_memory_mb
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
    """Answers of each seat that would be late if the arbiter had not stalled; seats with none are left out."""
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
    network: dict[Seat, NetworkTimes] = {}
    """Times of remote programs."""
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


# --- games at a time ------------------------------------------------------------------------------


class Jobs(Struct, frozen=True, kw_only=True):
    """The number of games at a time, and why."""

    number: int
    cores: int
    why: str
    warning: str | None = None

    def describe(self) -> str:
        """Describe number and reason in a phrase."""
        return f"{write_count(self.number, 'game')} at a time: {self.why}"

    def values(self) -> dict[str, object]:
        """Return the values by their names in the event stream."""
        return {"jobs": self.number, "cores": self.cores, "why": self.why, "warning": self.warning}


def choose_jobs(
    asked: int | None, time: TimeSettings, *, setting: str = "--jobs", force: bool = False, cores: int | None = None
) -> Jobs:
    """Choose the number of games at a time: the number asked for by a setting, or one per two cores.

    Both bots of a game may think at the same time, so more games make clocks unfair.
    Raises ConfigError if bots would lose on time because the machine has too few cores, unless `force` is set.
    """
    cores = count_cores() if cores is None else cores
    usual = max(1, cores // 2)
    if asked is None:
        why = f"half of {write_count(cores, 'core')}" if cores > 1 else "the machine has one core"
        if time.pondering and cores > 1:
            why += ", because bots may think on the opponent's time"
        return Jobs(number=usual, cores=cores, why=why)
    why = f"{setting}, on {write_count(cores, 'core')}"
    warning = None
    busy = f"{write_count(asked, 'game')} at a time on {write_count(cores, 'core')}"
    most = cores if time.clock == "wall" else math.floor(cores * time.wall_factor)
    if asked > most and not force:
        raise ConfigError(
            f"{setting}: {write_count(asked, 'game')} at a time are too many for {write_count(cores, 'core')}: bots "
            f"would lose on time because they wait for each other; use {usual}, or add --force-jobs"
        )
    if asked > most:
        warning = f"{busy}: bots may lose on time because they wait for each other"
    elif time.clock == "wall" and time.pondering and asked > usual:
        warning = (
            f"{busy}: bots that think on the opponent's time slow each other; use {usual}, or set pondering = false"
        )
    return Jobs(number=asked, cores=cores, why=why, warning=warning)


def find_memory_warning(limits_mb: Sequence[int], jobs: int, waiting: int = 0, root: Path = Path("/")) -> str:
    """Return a warning if the bots of all concurrent games may use more memory than the machine has; empty if not.

    `limits_mb` are the memory limits of all bots in MiB; the two bots of a game are different ones.  `waiting` is the
    number of processes that may wait for their next game.
    """
    most_mb = jobs * sum(nlargest(2, limits_mb)) + waiting * max(limits_mb, default=0)
    machine_mb, _ = find_memory_mb(root)
    if most_mb <= machine_mb:
        return ""
    idle = f" and {waiting} processes that wait for their next game" if waiting else ""
    fresh = ', or set processes = "fresh"' if waiting else ""
    return (
        f"{write_count(jobs, 'game')} at a time{idle} may use {most_mb:,} MiB of memory, and this machine has "
        f"{machine_mb:,} MiB; lower memory_mb of the bots, or use fewer --jobs{fresh}"
    )


# --- speed ----------------------------------------------------------------------------------------


_ROUNDS: Final = 30
_DIGITS: Final = 3
_PRIME: Final = 2**607 - 1
_NUMBERS: Final = 12_000
_STEPS: Final = 30_000
_SQUARES: Final = 100


def measure_speed() -> float:
    """Return the speed of a core relative to the reference, which is a core of an AMD EPYC server: 2 is twice as fast.

    The best of many short rounds counts, so other programs on the machine change little.  It takes about 0.3 s.
    """
    numbers = [1]  # a fixed random sequence
    while len(numbers) < _NUMBERS:
        numbers.append((numbers[-1] * 1_103_515_245 + 12_345) & 0x7FFFFFFF)
    places = {number: place for place, number in enumerate(numbers)}
    parts: Sequence[tuple[Callable[[], object], float]] = (  # each with its time on the reference, in ms
        (_play_on_board, 4.05),
        (lambda: sorted(numbers), 1.75),
        (lambda: (pow(3, 2**400 - 1, _PRIME), pow(5, 2**400 - 3, _PRIME)), 0.84),
        (lambda: [sum(map(places.__getitem__, numbers)) for _ in range(5)], 1.5),
    )
    best_ms = [math.inf] * len(parts)
    for _ in range(_ROUNDS):
        for number, (part, _reference_ms) in enumerate(parts):
            begun = time.thread_time()
            part()
            best_ms[number] = min(best_ms[number], (time.thread_time() - begun) * 1000)
    ratios = (reference_ms / ms for (_, reference_ms), ms in zip(parts, best_ms, strict=True))
    return round(math.prod(ratios) ** (1 / len(parts)), _DIGITS)


def _play_on_board() -> list[int]:
    """Count visits of random squares, a loop as in a bot that is written in Python."""
    board = [0] * _SQUARES
    number = 1
    for _ in range(_STEPS):
        number = (number * 1_103_515_245 + 12_345) & 0x7FFFFFFF
        square = number % _SQUARES
        board[square] = 0 if board[square] > 2 else board[square] + 1  # noqa: PLR2004 - hard to predict
    return board
