"""Messages between the coordinator and the workers: what a Dask task plays, and what it returns."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct

from arbiter.record import GameHeader
from arbiter.referee.pool import SharedParts
from arbiter.sandbox.files.visible import HiddenFiles
from arbiter.sandbox.isolation import Program
from arbiter.sandbox.select import IsolationName
from arbiter.tournament.events import Void
from arbiter.tournament.execution.arrival import GamePlayed
from arbiter.tournament.execution.executor import UsedExcuses
from arbiter.tournament.execution.machines import Machine
from arbiter.tournament.execution.portable import PortableBot
from arbiter.tournament.fixture import Fixture
from arbiter.tournament.new_results import KeptLogs
from protocol.words import Seat


class RunSettings(Struct, frozen=True, kw_only=True):
    """A run, as a worker needs to know it."""

    run: str = ""
    """Identification of the run, and topic of what happens in its games."""
    isolation: IsolationName | None
    """Isolation of the bots.  Default: the best one of each machine."""
    hidden_files: HiddenFiles
    """Files of the coordinator that no bot may read, if this is its machine."""
    logs: KeptLogs
    """The games whose messages are sent back."""
    keeps_processes: bool = False
    """If True, the processes of bots stay between games."""
    scales_time: bool = False
    """If True, the clocks are scaled by the speed of the machine."""
    trusts_all: bool = False
    """If True, bots that are not trusted may play without a sandbox too."""
    follow: bool = False
    """If True, the lines of the record are sent while a game is played."""


class GameOrder(Struct, frozen=True, kw_only=True):
    """A game to play."""

    fixture: Fixture
    header: GameHeader
    """Header of the record."""
    retries: int
    """Illegal actions that a bot may take back."""
    used_excuses: UsedExcuses
    versions: dict[Seat, str]
    shared: SharedParts | None
    values: dict[Seat, dict[str, str]] = {}
    """Values of parameters of the programs."""


class Assignment(Struct, frozen=True, kw_only=True):
    """Games that one Dask task plays, one after the other."""

    run: RunSettings
    games: tuple[GameOrder, ...]
    programs: tuple[Program, ...] = ()
    """The bots that are on this machine, because the coordinator is."""
    sent: tuple[str, ...] = ()
    """The other bots, which are results of other tasks."""
    blamed: tuple[str, ...] = ()
    """Those of them that have started on no machine: they play nevertheless, because the fault is their own."""
    absent: tuple[str, ...] = ()
    """Bots that play no more: their processes end."""


# --- reports of a task ----------------------------------------------------------------------------


class BotFault(Struct, frozen=True):
    """The reason why a bot cannot start on a machine."""

    bot: str
    why: str
    was_started: bool
    """True if it was started, but did not introduce itself: then the fault may be its own."""


class TaskReport(Struct, frozen=True, kw_only=True):
    """The result of a Dask task."""

    worker: str
    """Address of the worker."""
    machine: Machine
    games: tuple[GamePlayed | Void, ...] = ()
    """The outcomes of the games that began, in the order of the assignment."""
    fault: BotFault | str = ""
    """Reason why no game began; empty if one did, if the task was stopped, or if bots are missing."""
    missing: tuple[str, ...] = ()
    """Bots that this worker has to receive before it can begin these games."""
    warnings: tuple[str, ...] = ()
    """Differences of bots to the machine of the organiser."""
    restarts: dict[str, Annotated[int, Meta(ge=0)]] = {}
    """For each bot, number of its processes that could not play another game, since the last report."""


# --- what is sent while a task runs ---------------------------------------------------------------


class GameNews(Struct, frozen=True):
    """A game began, or has another line of its record."""

    key: str
    """Identification of the task."""
    game: str
    line: bytes | None = None
    """None if it began."""


class WorkerNews(Struct, frozen=True):
    """Events of a short time on a worker.  The results do not depend on it."""

    worker: str
    machine: Machine
    events: tuple[GameNews, ...]


# --- encoding -------------------------------------------------------------------------------------


def _decode_path(kind: type, value: Any) -> object:  # noqa: ANN401 - whatever was sent
    return Path(value) if kind is Path else value


encode: Final[Callable[[Assignment | PortableBot | TaskReport | WorkerNews], bytes]] = msgspec.msgpack.Encoder(
    enc_hook=str
).encode
decode_assignment: Final = msgspec.msgpack.Decoder(Assignment, dec_hook=_decode_path).decode
decode_bot: Final = msgspec.msgpack.Decoder(PortableBot, dec_hook=_decode_path).decode
decode_report: Final = msgspec.msgpack.Decoder(TaskReport).decode
"""Decodes a report.  Raises MsgspecError if it is something else."""
decode_news: Final = msgspec.msgpack.Decoder(WorkerNews).decode
"""Decodes news.  Raises MsgspecError if they are something else."""
