"""Values of a check: the evidence of a failure, the mistake that explains it, and the finding of a step."""

import re
from collections.abc import Callable
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

from arbiter.games.base import Ending, Rule
from arbiter.languages.sentences import write_reason
from protocol.codec import ProtocolError, decode_bot_line
from protocol.messages import Act, Rules
from protocol.reasons import BrokeProtocol, EndOfProgram, KillEvidence, ProgramEnded, Reason
from protocol.words import RED, AnyAction, Seat

BotFault = Ending | Literal["ignores_bye", "ignores_end_of_input", "leaves_processes", "memory_grows"]
Status = Literal["ok", "advice", "failed", "skipped"]

NO_ANSWER: Final = ("no_start", "timeout")
ENDED: Final = ("no_start", "crash", "killed")
_MAX_OUTPUT_LINES: Final = 200
_MAX_OUTPUT_COLUMNS: Final = 400


class BotActivity(Struct, frozen=True, kw_only=True):
    """Activity of a bot that did not answer."""

    unread_bytes: int = 0
    """Bytes of the question that the bot has not read."""
    keeps_reading: bool = False
    """True if the bot has also read the message that followed the question."""
    uses_cpu: bool = False
    late_s: float | None = None
    """Seconds from the question to an answer that came too late; None if none came."""
    output_at_end: bytes = b""
    """The answer that came too late, or output that arrived only after the input of the bot was closed."""


class Evidence(Struct, frozen=True, kw_only=True):
    """Everything that is known about a failure of the bot."""

    fault: BotFault
    reason: Reason | None = None
    """The reason as the referee gave it."""
    growth_mib: float = 0.0
    """Growth of the memory in a turn, if that is the fault."""
    seat: Seat = RED
    line_before: bytes = b""
    """Last line that the bot wrote before the question."""
    question: bytes = b""
    """Last line that the bot was sent and should have answered."""
    lines: tuple[bytes, ...] = ()
    """Lines that the bot wrote after the question."""
    stderr: str = ""
    rule: Rule | None = None
    """Rule that forbids the last action, if the referee refused one."""
    legal: tuple[AnyAction, ...] = ()
    """The legal actions instead of the refused one."""
    rules: Rules | None = None
    activity: BotActivity | None = None
    """Set if the bot did not answer and its process still runs."""
    command: tuple[str, ...] = ()
    file_start: bytes = b""
    """First bytes of the program's file."""
    answers_ms: tuple[float, ...] = ()
    """Times of all answers of the game, if it is a stored one."""
    games_before: int = 0
    """Complete games that the process had played before."""
    bank_runs_out: bool = False
    """True if the bot lost on time in a game with little time, and its speed empties its bank in a long game."""
    future_protocol: bool = False
    """True if the messages contained things that today's protocol does not have."""

    @property
    def why(self) -> str:
        """The reason as an English sentence."""
        return write_reason(self.reason)

    @property
    def detail(self) -> str:
        """The error in a line that broke the protocol, in the words of the decoder; empty if the fault is another."""
        return self.reason.detail if isinstance(self.reason, BrokeProtocol) else ""

    @property
    def end(self) -> EndOfProgram | None:
        """The end of the program; None if it has not ended, or in another way than those of the faults in ENDED."""
        return self.reason.end if isinstance(self.reason, ProgramEnded) and self.fault in ENDED else None

    @property
    def kill(self) -> KillEvidence | None:
        """The evidence that the program was killed, but not by the arbiter."""
        return self.reason.kill if isinstance(self.reason, ProgramEnded) and self.fault in ENDED else None

    @property
    def question_object(self) -> dict[str, Any]:
        """The question as an object, {} if there was none."""
        return as_object(self.question) or {}

    @property
    def bad_line(self) -> bytes:
        """The first line that broke the protocol, b"" if the fault is another one."""
        if self.fault != "protocol":
            return b""
        if len(self.lines) > 1 and is_answer(self.lines[0], self.question_object):
            return self.lines[1]
        return self.lines[0] if self.lines else b""

    @property
    def bad_object(self) -> dict[str, Any]:
        """The line that broke the protocol as an object, {} if it is none."""
        return as_object(self.bad_line) or {}

    @property
    def act(self) -> Act | None:
        """The answer to the question, None if it does not have the form of an act."""
        return as_act(self.lines[0]) if self.lines else None

    @property
    def output(self) -> str:
        """The end of what the bot wrote to stdout and stderr; long lines are cut."""
        lines = [*(line.decode("utf-8", "replace") for line in self.lines), *self.stderr.splitlines()]
        return "\n".join(line[:_MAX_OUTPUT_COLUMNS] for line in lines[-_MAX_OUTPUT_LINES:])


Found = bool | tuple[str, ...] | None
"""True if the evidence shows a mistake, or what was found and is to be quoted."""
Finder = Callable[[Evidence], Found]


class Explanation(Struct, frozen=True):
    """A mistake that explains the evidence."""

    mistake: str
    """Identifier of the mistake in the output for programs."""
    advice: str
    """Description of the mistake and its fix, for the author of the bot."""


class Finding(Struct, frozen=True):
    """Result of one step of a check."""

    status: Status
    """`advice` marks something that no tournament penalises but that the author should know."""
    text: str
    """The result in one sentence."""
    evidence: Evidence | None = None
    """Set if the step failed."""
    explanation: Explanation | None = None
    """Set if the step failed by a known mistake."""
    record: bytes | None = None
    """Record of the game in which the step failed."""


def search_detail(pattern: str) -> Finder:
    """Return a search in the error of the decoder, which finds the groups of a pattern."""

    def find(evidence: Evidence) -> Found:
        found = re.search(pattern, evidence.detail)
        return found and (found.groups() or True)

    return find


def as_object(line: bytes) -> dict[str, Any] | None:
    """Parse a line as a JSON object; return None if it is none."""
    try:
        value = msgspec.json.decode(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def as_act(line: bytes) -> Act | None:
    """Parse a line as an act of the protocol; return None if it is none."""
    try:
        answer = decode_bot_line(line)
    except ProtocolError:
        return None
    return answer if isinstance(answer, Act) else None


def is_answer(line: bytes, question: dict[str, Any]) -> bool:
    """Return True if a line answers a question in the form that the protocol requires."""
    match question.get("type"):
        case "hello":
            return (as_object(line) or {}).get("type") == "ready"
        case "ask" | "refused":
            act = as_act(line)
            return act is not None and act.ask == question.get("ask")
        case _:
            return False
