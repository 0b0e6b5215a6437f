"""From what is kept of a game to what was seen of a bot that failed in it."""

from collections.abc import Sequence
from typing import Final

from arbiter.errors import IllegalAction
from arbiter.games.base import FORFEITS
from arbiter.preflight.evidence import Evidence, Fault, Silence, as_object
from arbiter.record import GameResult, read_record
from arbiter.sandbox.program import Program
from arbiter.transcript import LogLine
from arbiter.verify import begin, replay
from protocol.words import RED, Seat

_BEGINNING: Final = 200  # bytes of a program's file, in which its interpreter is named
_FAREWELL: Final = ("over", "bye")


def is_fault_of(seat: Seat, result: GameResult) -> bool:
    """Say whether a game ended by a fault of the bot at a seat."""
    return result.ending in FORFEITS and result.winner != seat


def collect_evidence(
    program: Program,
    fault: Fault,
    why: str,
    lines: Sequence[LogLine] = (),
    *,
    rest: bytes = b"",
    stderr: str = "",
    seat: Seat = RED,
    record: bytes | None = None,
    silence: Silence | None = None,
    games: int = 0,
) -> Evidence:
    """Say what was seen of a program that failed.

    `lines` is what passed on its wire, to the end, and `rest` what it wrote that was not read as a line.
    """
    before, question, said = _about_question(lines, rest)
    refusal = None if record is None else refusal_in(record)
    return Evidence(
        fault=fault,
        why=why,
        seat=seat,
        before=before,
        question=question,
        lines=said,
        stderr=stderr,
        rule=None if refusal is None else refusal.rule,
        rules=None if record is None else read_record(record).header.game().terms(seat),
        silence=silence,
        command=program.argv,
        beginning=_beginning(program.argv[0]),
        games=games,
    )


def refusal_in(record: bytes) -> IllegalAction | None:
    """Return the refusal of the act that ended a game; None where it ended otherwise."""
    whole = read_record(record)
    table, luck = begin(whole)
    accepted = sum(1 for _ in replay(table, luck, whole))
    try:
        for entry in whole.acts[accepted:]:
            table.act(entry.seat, entry.action)
    except IllegalAction as refusal:
        return refusal
    return None


def _beginning(path: str) -> bytes:
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - a word of a command, not yet a path
            return file.read(_BEGINNING)
    except OSError:
        return b""


def _about_question(lines: Sequence[LogLine], rest: bytes) -> tuple[bytes, bytes, tuple[bytes, ...]]:
    """Return a bot's last line before the last question, the question, and what it wrote since.

    A farewell is no question: it is sent when the bot has failed.
    """
    asked = next((number for number in reversed(range(len(lines))) if _asks(lines[number])), -1)
    before = next((line.text for line in reversed(lines[: max(asked, 0)]) if not line.sent), b"")
    question = lines[asked].text.rsplit(b"\n", 1)[-1] if asked >= 0 else b""
    said = b"".join(_as_written(line) for line in lines[asked + 1 :] if not line.sent) + rest
    return before, question, tuple(said.removesuffix(b"\n").split(b"\n")) if said else ()


def _asks(line: LogLine) -> bool:
    return line.sent and (as_object(line.text) or {}).get("type") not in _FAREWELL


def _as_written(line: LogLine) -> bytes:
    return line.text + b"\n" if line.whole else line.text
