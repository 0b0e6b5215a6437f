"""Collect the evidence of a failure from the log, the record and the program of a bot."""

from collections.abc import Sequence
from typing import Final

from arbiter.errors import IllegalAction
from arbiter.games.base import FORFEITS
from arbiter.preflight.evidence import BotActivity, BotFault, Evidence, as_object
from arbiter.record import GameResult, read_record
from arbiter.sandbox.isolation import Program
from arbiter.transcript import LogLine
from arbiter.verify import begin, replay
from protocol.words import RED, Seat

_FILE_START_BYTES: Final = 200  # enough for the line that names the interpreter of a script
_FAREWELL: Final = ("over", "bye")


def is_forfeit_by(seat: Seat, result: GameResult) -> bool:
    """Return True if the player at a seat lost the game by forfeit."""
    return result.ending in FORFEITS and result.winner != seat


def collect_evidence(
    program: Program,
    fault: BotFault,
    why: str,
    log: Sequence[LogLine] = (),
    *,
    unread_output: bytes = b"",
    stderr: str = "",
    seat: Seat = RED,
    record: bytes | None = None,
    activity: BotActivity | None = None,
    games_before: int = 0,
) -> Evidence:
    """Collect the evidence of a failure.

    `log` holds all messages of the bot; `unread_output` is what it wrote after the last line that the referee read.
    """
    # The farewell is sent after the failure, so it is not the question.
    asked = next(
        (
            number
            for number in reversed(range(len(log)))
            if log[number].sent and (as_object(log[number].text) or {}).get("type") not in _FAREWELL
        ),
        -1,
    )
    written = [line.text + b"\n" if line.whole else line.text for line in log[asked + 1 :] if not line.sent]
    output = b"".join(written) + unread_output
    refusal = None if record is None else find_refusal(record)
    return Evidence(
        fault=fault,
        why=why,
        seat=seat,
        line_before=next((line.text for line in reversed(log[: max(asked, 0)]) if not line.sent), b""),
        question=log[asked].text.rsplit(b"\n", 1)[-1] if asked >= 0 else b"",
        lines=tuple(output.removesuffix(b"\n").split(b"\n")) if output else (),
        stderr=stderr,
        rule=None if refusal is None else refusal.rule,
        rules=None if record is None else read_record(record).header.game().describe(seat),
        activity=activity,
        command=program.argv,
        file_start=_read_file_start(program.argv[0]),
        games_before=games_before,
    )


def find_refusal(data: bytes) -> IllegalAction | None:
    """Return the refusal of the action that ended a game, None if the game ended otherwise."""
    record = read_record(data)
    contest, chance = begin(record)
    accepted = sum(1 for _ in replay(contest, chance, record))
    try:
        for entry in record.acts[accepted:]:
            contest.act(entry.seat, entry.action)
    except IllegalAction as refusal:
        return refusal
    return None


def _read_file_start(path: str) -> bytes:
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - a word of a command, not yet a path
            return file.read(_FILE_START_BYTES)
    except OSError:
        return b""
