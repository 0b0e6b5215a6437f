"""Collect the evidence of a failure from the log, the record and the program of a bot."""

from collections.abc import Sequence
from typing import Final

from msgspec import UNSET, structs

from arbiter.errors import IllegalAction
from arbiter.games.base import FORFEITS
from arbiter.preflight.evidence import BotFault, Evidence, as_object
from arbiter.record import ActEntry, GameResult, Record, read_record
from arbiter.sandbox.isolation import Program
from arbiter.transcript import GameLog, LogLine
from arbiter.verify import begin, replay
from protocol.codec import encode
from protocol.messages import Act
from protocol.words import Seat

_FILE_START_BYTES: Final = 200  # enough for the line that names the interpreter of a script
_FAREWELL: Final = ("over", "bye")


def is_forfeit_by(seat: Seat, result: GameResult) -> bool:
    """Return True if the player at a seat lost the game by forfeit."""
    return result.ending in FORFEITS and result.winner != seat


def collect_from_game(
    program: Program | None, seat: Seat, result: GameResult, record: bytes, log: GameLog
) -> Evidence | None:
    """Collect the evidence of a finished game; return None if the bot of the seat did not forfeit it.

    `program` is None if it is not known.
    """
    if not is_forfeit_by(seat, result):
        return None
    acts = [act for act in read_record(record).acts if act.seat == seat]
    lines = log.wire[seat].lines if seat in log.wire else _list_refused(acts)
    stderr = log.stderr.get(seat, "")
    evidence = collect_evidence(program, result.ending, result.why, lines, stderr=stderr, seat=seat, record=record)
    return structs.replace(evidence, answers_ms=tuple(act.ms for act in acts if act.ms is not None))


def _list_refused(acts: Sequence[ActEntry]) -> tuple[LogLine, ...]:
    """Return the line of the last act if the rules refused it, for games whose messages were not kept."""
    if not acts or acts[-1].facts is not UNSET:
        return ()
    act = Act(len(acts), acts[-1].action)
    return (LogLine(0.0, sent=False, text=encode(act).removesuffix(b"\n")),)


def collect_evidence(
    program: Program | None,
    fault: BotFault,
    why: str,
    log: Sequence[LogLine],
    *,
    stderr: str,
    seat: Seat,
    record: bytes | None,
) -> Evidence:
    """Collect the evidence of a failure; `log` holds all messages of the bot, and `record` a game that it lost."""
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
    output = b"".join(written)
    game = None if record is None else read_record(record)
    refusal = None if game is None else find_refusal(game)
    return Evidence(
        fault=fault,
        why=why,
        seat=seat,
        line_before=next((line.text for line in reversed(log[: max(asked, 0)]) if not line.sent), b""),
        question=log[asked].text.rsplit(b"\n", 1)[-1] if asked >= 0 else b"",
        lines=tuple(output.removesuffix(b"\n").split(b"\n")) if output else (),
        stderr=stderr,
        rule=None if refusal is None else refusal.rule,
        rules=None if game is None else game.header.game().describe(seat),
        command=() if program is None else program.argv,
        file_start=b"" if program is None else _read_file_start(program.argv[0]),
    )


def find_refusal(record: Record) -> IllegalAction | None:
    """Return the refusal of the action that ended a game, None if the game ended otherwise."""
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
