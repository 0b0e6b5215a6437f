"""Messages between the coordinator and the workers about the games that they play."""

from collections.abc import Callable, Sequence
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import asdict

from arbiter.record import GameHeader, PackedRecord, UnfinishedRecord
from arbiter.referee.game import PlayedGame
from arbiter.referee.pool import SharedParts
from arbiter.sandbox.files.visible import HiddenFiles
from arbiter.sandbox.isolation import Program
from arbiter.sandbox.select import IsolationName
from arbiter.tournament.events import Attempt
from arbiter.tournament.execution.executor import Played, UsedExcuses
from arbiter.tournament.fixture import Fixture
from arbiter.tournament.machine import PlayingConditions
from arbiter.tournament.new_results import KeptLogs
from arbiter.transcript import GameLog
from protocol.words import Seat


class RunSettings(Struct, frozen=True, kw_only=True):
    """A run, as a worker needs to know it before its first game."""

    run: str = ""
    """Identification of the run, and topic of the reports of its games."""
    isolation: IsolationName | None
    """Isolation that the operator asked for."""
    programs: tuple[Program, ...]
    hidden_files: HiddenFiles
    """Files of the coordinator that no bot may read, if this is its machine."""
    logs: KeptLogs
    """The games whose messages are sent back."""
    jobs: int = 1
    """Number of games that the whole machine plays at the same time."""
    numbers: tuple[int, ...] = ()
    """Those of them, counted from 0, that this worker plays."""
    speed: float | None = None
    """Speed of the machine, if it was measured."""
    mix_sandboxes: bool = False
    """True if machines may have different sandboxes."""
    is_local: bool = False
    """True if the coordinator has started the worker."""
    keeps_processes: bool = False
    """If True, the processes of bots stay between games."""


class Prepared(Struct, frozen=True):
    """The answer of a worker that was prepared for a run."""

    isolation: str = ""
    """Isolation of the bots."""
    fault: str = ""
    """Reason why the worker cannot play; empty if it can."""


class Assignment(Struct, frozen=True, kw_only=True, tag="play"):
    """Order to play a game."""

    key: str
    """Identification of this try to play the game."""
    fixture: Fixture
    header: GameHeader
    """Header of the record."""
    retries: int
    """Illegal actions that a bot may take back."""
    used_excuses: UsedExcuses
    versions: dict[Seat, str]
    shared: SharedParts | None
    follow: bool
    """If True, the lines of the record are reported while the game is played."""


class StopGame(Struct, frozen=True, tag="stop"):
    """Order to stop a game, and to report it."""

    key: str


class GiveBack(Struct, frozen=True, tag="give back"):
    """Order to give back a game that waits for others to end; one that has begun is played on."""

    key: str


class EndProcesses(Struct, frozen=True, tag="end"):
    """Order to end the processes of bots that wait for another game."""

    bots: tuple[str, ...]


Order = Assignment | StopGame | GiveBack | EndProcesses


class GameBegan(Struct, frozen=True, tag="began"):
    """A game began."""

    key: str


class GameNotBegun(Struct, frozen=True, tag="not begun"):
    """A game was stopped before it began."""

    key: str


class GameLine(Struct, frozen=True, tag="line"):
    """A line of the record of a game in progress."""

    key: str
    line: bytes


class GamePlayed(PlayedGame, frozen=True, tag="played", kw_only=True):
    """A game is over."""

    key: str
    unfinished: PackedRecord
    conditions: PlayingConditions
    restarts: dict[Seat, Annotated[int, Meta(ge=0)]]
    """For each bot, number of its processes that could not play another game, since the last report about it."""


class GameVoided(Struct, frozen=True, tag="voided"):
    """A game was voided, or stopped."""

    key: str
    attempt: Attempt
    log: GameLog


GameReport = GameBegan | GameNotBegun | GameLine | GamePlayed | GameVoided

_encoder: Final = msgspec.msgpack.Encoder()
decode_reports: Final[Callable[[bytes], tuple[GameReport, ...]]] = msgspec.msgpack.Decoder(
    tuple[GameReport, ...]
).decode
"""Decodes reports.  Raises MsgspecError if they are something else."""
decode_order: Final[Callable[[bytes], Order]] = msgspec.msgpack.Decoder(Order).decode
"""Decodes an order.  Raises MsgspecError if it is something else."""


def encode(message: Order | Sequence[GameReport]) -> bytes:
    """Encode an order for a worker, or reports for the coordinator."""
    return _encoder.encode(message)


def report_played(key: str, played: Played, log: GameLog, restarts: dict[Seat, int]) -> GamePlayed:
    """Make the report of a game with the part of its log that is kept, and with restarts as in `GamePlayed`.

    Compressing the record takes some time.
    """
    game = played.game
    packed = game.unfinished.pack() if isinstance(game.unfinished, UnfinishedRecord) else game.unfinished
    fields = {**asdict(game), "unfinished": packed, "log": log, "earlier_games": {}}  # these are in the conditions
    return GamePlayed(key=key, conditions=played.conditions, restarts=restarts, **fields)
