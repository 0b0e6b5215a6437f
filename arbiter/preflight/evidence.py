"""What was seen of a bot that failed, as values: the question, what the bot wrote, how it ended.  It explains nothing."""

from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

from arbiter.errors import Rule
from arbiter.games.base import Ending
from protocol.codec import ProtocolError, decode_answer
from protocol.messages import Act, Rules
from protocol.words import RED, Seat

Fault = Ending | Literal["stays", "stays_at_the_end", "leaves_others"]
NO_ANSWER: Final = ("no_start", "timeout")
_MANY: Final = 200  # lines
_LONG: Final = 400  # characters of one


class Silence(Struct, frozen=True, kw_only=True):
    """What a bot that said nothing was doing.

    How many bytes of the question it had left unread, whether it went on to read what it was told later, whether it
    used the processor, and what it wrote once its input was closed.
    """

    unread: int = 0
    reads: bool = False
    busy: bool = False
    at_the_end: bytes = b""


class Evidence(Struct, frozen=True, kw_only=True):
    """What was seen.

    `question` is the last line it was sent, `lines` what it wrote from then on, `before` its last
    line before that.  `command` is what started it and
    `beginning` how its program's file begins.  `games` counts the games that its process had finished before, `later`
    says that what it was sent held things unknown today.
    """

    fault: Fault
    why: str = ""
    seat: Seat = RED
    before: bytes = b""
    question: bytes = b""
    lines: tuple[bytes, ...] = ()
    stderr: str = ""
    rule: Rule | None = None
    rules: Rules | None = None
    silence: Silence | None = None
    command: tuple[str, ...] = ()
    beginning: bytes = b""
    games: int = 0
    later: bool = False

    @property
    def asked(self) -> dict[str, Any]:
        """The question as an object; empty where there was none."""
        return as_object(self.question) or {}

    @property
    def line(self) -> bytes:
        """The line at fault, where the fault is a line's: the first that is not a right answer."""
        if self.fault != "protocol":
            return b""
        if len(self.lines) > 1 and is_answer(self.lines[0], self.asked):
            return self.lines[1]
        return self.lines[0] if self.lines else b""

    @property
    def said(self) -> dict[str, Any]:
        """The line at fault as an object; empty where it is none."""
        return as_object(self.line) or {}

    @property
    def act(self) -> Act | None:
        """The answer as an act; None where there is none."""
        return as_act(self.lines[0]) if self.lines else None

    @property
    def output(self) -> str:
        """What the bot wrote that may tell of its failure: the last lines, none of them long, as it is looked through."""
        lines = [*(line.decode("utf-8", "replace") for line in self.lines), *self.stderr.splitlines()]
        return "\n".join(line[:_LONG] for line in lines[-_MANY:])


def as_object(line: bytes) -> dict[str, Any] | None:
    """Read a line as a JSON object; None where it is none."""
    try:
        found = msgspec.json.decode(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def as_act(line: bytes) -> Act | None:
    """Read a line as an act; None where it is none."""
    try:
        answer = decode_answer(line)
    except ProtocolError:
        return None
    return answer if isinstance(answer, Act) else None


def is_answer(line: bytes, question: dict[str, Any]) -> bool:
    """Say whether a line answers a question in the form of the protocol."""
    match question.get("type"):
        case "hello":
            return (as_object(line) or {}).get("type") == "ready"
        case "ask" | "refused":
            act = as_act(line)
            return act is not None and act.ask == question["ask"]
        case _:
            return False
