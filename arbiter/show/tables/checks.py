"""Checks of bots: the findings of steps, the entrants of a tournament, and the answers to a suite of positions."""

from collections.abc import Iterator, Mapping, Sequence
from operator import methodcaller
from textwrap import wrap
from typing import Any, Final, cast

from msgspec import UNSET, Struct
from msgspec.structs import replace

from arbiter.games.notation import write_action
from arbiter.preflight.evidence import Evidence, Finding, Status
from arbiter.preflight.suite import Suite, SuiteAnswer, SuitePosition
from arbiter.record import ActEntry, Record, read_record
from arbiter.show.boards import LEGEND, NO_MARKS, Marks, draw_board
from arbiter.show.replay.plain_text import write_frame
from arbiter.show.replay.replay import Replay
from arbiter.show.tables.sheet import JSON, SHOWN, Column, Sheet
from arbiter.show.text import plain
from protocol.codec import quote
from protocol.messages import Rules, ViewPiece
from protocol.words import Deploy, Move

_WIDTH: Final = 100
_INDENT: Final = " " * 6
_QUOTED: Final = 300  # bytes of a line
_LINES: Final = 10  # of stderr
_LABEL: Final = 11  # columns of the word before a message
_TEXT_AT: Final = 26  # column at which the text of a finding begins
_COLOURS: Final[dict[Status, str]] = {"ok": "32", "advice": "33", "failed": "1;31", "skipped": "2"}


def write_step(number: int, name: str, finding: Finding, *, colour: bool = False, width: int | None = None) -> str:
    """Write a step and its finding as text; with `colour`, in ANSI colours; the finding is wrapped to a width."""
    status = f"{finding.status:<7}"
    painted = f"\x1b[{_COLOURS[finding.status]}m{status}\x1b[0m" if colour else status
    text = plain(finding.text)
    if width is not None:
        text = f"\n{' ' * _TEXT_AT}".join(wrap(text, max(width - _TEXT_AT, 20), break_on_hyphens=False))
    return "\n".join(
        [f"{number:>3}  {name:<12}  {painted}  {text}", *write_details(finding, colour=colour, width=width)]
    )


def step_object(number: int, name: str, rules: str | None, finding: Finding) -> dict[str, Any]:
    """Return a step and its finding as an object for programs."""
    return {"step": number, "name": name, "rules": rules, **finding_object(finding)}


def finding_object(finding: Finding) -> dict[str, Any]:
    """Return a finding as an object for programs."""
    found: dict[str, Any] = {"status": finding.status, "says": finding.text}
    if finding.explanation is not None:
        found |= {"mistake": finding.explanation.mistake, "advice": finding.explanation.advice}
    if (evidence := finding.evidence) is None:
        return found
    texts = {
        "sent": _decode(evidence.question),
        "wrote": _decode(b"\n".join(evidence.lines)),
        "stderr": evidence.stderr,
    }
    found |= {name: text for name, text in texts.items() if text}
    if evidence.rule is not None and finding.record is not None:
        position = _draw_position(evidence, read_record(finding.record), colour=False)
        found |= {"rule": evidence.rule, "position": position}
    return found


def _decode(line: bytes) -> str:
    return line.decode("utf-8", "backslashreplace")


def write_details(finding: Finding, *, colour: bool = False, width: int | None = None) -> Iterator[str]:
    """Yield the advice, the messages, the stderr, and the position of a refused action, if a step failed.

    The advice is wrapped to a width of at most 100, the messages to `width`.
    """
    if (evidence := finding.evidence) is None:
        return
    if finding.explanation is not None:
        room = max(min(width or _WIDTH, _WIDTH) - len(_INDENT), 20)
        yield from _indent("\n".join(wrap(plain(finding.explanation.advice), room, break_on_hyphens=False)))
    if evidence.question:
        yield from _write_message("received:", evidence.question, width)
    if evidence.lines:
        for line in evidence.lines[:_LINES]:
            yield from _write_message("wrote:", line, width)
    if evidence.stderr.strip():
        last = evidence.stderr.rstrip().split("\n")[-_LINES:]
        yield from _indent("\n".join(["last lines on stderr:", *(f"  {plain(line)}" for line in last)]))
    if evidence.rule is not None and finding.record is not None:
        yield from _indent(_draw_position(evidence, read_record(finding.record), colour=colour))


def _write_message(label: str, line: bytes, width: int | None) -> Iterator[str]:
    text = quote(line, _QUOTED)
    room = len(text) if width is None else max(width - len(_INDENT) - _LABEL, 20)
    for start in range(0, len(text), room):
        yield f"{_INDENT}{'' if start else label:{_LABEL}}{text[start : start + room]}"


def _indent(text: str) -> Iterator[str]:
    return (f"{_INDENT}{line}".rstrip() for line in text.split("\n"))


# --- the position of a refused action -------------------------------------------------------------


def _draw_position(evidence: Evidence, record: Record, *, colour: bool) -> str:
    """Draw the position of a refused action as the bot could see it, and name the rule."""
    refused = next(act for act in reversed(record.acts) if act.seat == evidence.seat)
    reason = f"{evidence.seat} {plain(write_action(refused.action))}: refused by the rule {evidence.rule}"
    if isinstance(refused.action, Deploy):
        return "\n".join([reason, *_draw_deployment(evidence.rules, refused, colour=colour)])
    replay = Replay(record)
    move = refused.action
    marks = Marks(move.src, move.dst) if isinstance(move, Move) else NO_MARKS
    frame = replace(replay.frame(replay.last, evidence.seat), marks=marks, ending=())
    return "\n".join([write_frame(frame, colour=colour), LEGEND, reason])


def _draw_deployment(rules: Rules | None, entry: ActEntry, *, colour: bool) -> Iterator[str]:
    """Draw a deployment without the entries that name no square or no rank."""
    pieces = cast("Deploy", entry.action).pieces
    if rules is None or rules.board is UNSET or pieces is UNSET:
        return
    ranks = {rank.id for rank in rules.ranks}
    rows = {str(row + 1) for row in range(rules.board.rows)}
    files = {chr(ord("a") + file) for file in range(rules.board.files)}
    placed = [
        ViewPiece(place, entry.seat, rank)
        for place, rank in pieces.items()
        if rank in ranks and place[:1] in files and place[1:] in rows
    ]
    yield draw_board(placed, rules.board, colour=colour)


# --- all entrants of a tournament -----------------------------------------------------------------


class CheckedEntrant(Struct, frozen=True, kw_only=True):
    """The result of the check of one bot."""

    bot: str
    findings: Sequence[tuple[int, str, str | None, Finding]]
    """Number and name of the step, the rule set if the step depends on it, and the finding."""
    median_ms: float | None = None
    """Time of an answer; None if the bot made no moves."""
    slowest_ms: float | None = None
    peak_mib: float | None = None
    """Peak memory; None if it is not known."""

    @property
    def failures(self) -> list[str]:
        """The names of the failed steps."""
        return [name for _, name, _, finding in self.findings if finding.status == "failed"]

    @property
    def advice(self) -> list[str]:
        """The names of the steps that passed with advice."""
        return [name for _, name, _, finding in self.findings if finding.status == "advice"]


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 1)


_ENTRANTS: Final[tuple[Column[CheckedEntrant], ...]] = (
    Column("bot", align="left"),
    Column(
        "ok",
        "result",
        value=lambda one: not one.failures,
        text=lambda one: "failed" if one.failures else "ok",
        align="left",
    ),
    Column("failed steps", value=lambda one: one.failures, align="left", on=SHOWN),
    Column("advice", align="left", on=SHOWN),
    Column("median_ms", "median ms", value=lambda one: _rounded(one.median_ms)),
    Column("slowest_ms", "slowest ms", value=lambda one: _rounded(one.slowest_ms)),
    Column("peak_mib", "peak MiB", value=lambda one: _rounded(one.peak_mib)),
    Column("steps", value=lambda one: [step_object(*step) for step in one.findings], on=JSON),
)


def entrants_sheet(entrants: Sequence[CheckedEntrant]) -> Sheet:
    """Make the sheet of the checks of all entrants."""
    return Sheet(title="Entrants", columns=_ENTRANTS, items=entrants)


# --- a suite of positions -------------------------------------------------------------------------

_NO_THEME: Final = "(no theme)"
_SCORES: Final[tuple[Column[Mapping[str, Any]], ...]] = (
    Column("theme", align="left"),
    Column("passed"),
    Column("positions"),
)


def write_answer(position: SuitePosition, answer: SuiteAnswer) -> str:
    """Write one line: the position, what the bot did, and what was expected if it failed."""
    mark = "ok    " if answer.passed else "failed"
    line = f"{mark}  {position.table.name}: {answer.got}"
    if answer.why:
        line += f" ({answer.why})"
    if not answer.passed:
        line += f"; expected: {_expected(position)}"
    if answer.ms is not None:
        line += f"  ({answer.ms:.0f} ms)"
    return plain(line)


def _expected(position: SuitePosition) -> str:
    table = position.table
    if table.result:
        return table.result
    return " or ".join(table.best) if table.best else f"none of {', '.join(table.avoid)}"


def answer_object(position: SuitePosition, answer: SuiteAnswer) -> dict[str, Any]:
    """Return an answer as a JSON object."""
    return {
        "type": "position",
        "name": position.table.name,
        "theme": position.table.theme,
        "passed": answer.passed,
        "got": answer.got,
        "expected": _expected(position),
        "ms": answer.ms,
    }


def suite_sheet(suite: Suite, answers: Sequence[tuple[SuitePosition, SuiteAnswer]]) -> Sheet:
    """Make the table of scores of the positions that were played, by theme in the order of the suite."""
    themes: dict[str, dict[str, int]] = {}
    for position, answer in answers:
        score = themes.setdefault(position.table.theme or _NO_THEME, {"passed": 0, "positions": 0})
        score["passed"] += answer.passed
        score["positions"] += 1
    total = {"passed": sum(answer.passed for _, answer in answers), "positions": len(answers)}
    items = [{"theme": theme, **score} for theme, score in [*themes.items(), ("all", total)]]
    data = {"type": "suite", "name": suite.name, **total, "themes": themes}
    return Sheet(title="Score", columns=_SCORES, items=items, data=(data,))


_MACHINES: Final[tuple[Column[Mapping[str, Any]], ...]] = (
    Column("host", align="left"),
    Column("workers"),
    *(Column(key, value=methodcaller("get", key)) for key in ("cores", "slots", "speed")),
    Column("sandbox", value=methodcaller("get", "sandbox"), align="left"),
    Column("python", "Python", align="left"),
    Column("arbiter", align="left"),
    Column(
        "interpreters",
        value=lambda one: [f"{name} {version}".strip() for name, version in one.get("interpreters", {}).items()],
        align="left",
    ),
    Column(
        "missing",
        value=lambda one: "; ".join([f"{one['worker']}: {one['missing'][0]}"] if "worker" in one else one["missing"]),
        align="left",
    ),
)


_PORTS: Final[tuple[Column[Mapping[str, Any]], ...]] = (
    Column("host", align="left"),
    Column("process", align="left"),
    Column("port", align="left"),
    Column("open_to", "open to", align="left"),
    Column("encrypted", text=lambda one: "yes" if one["encrypted"] else "no", align="left"),
    Column("missing", align="left"),
)


def ports_sheet(ports: Sequence[Mapping[str, Any]]) -> Sheet:
    """Make the table of the open ports of a cluster."""
    return Sheet(title="Open ports", columns=_PORTS, items=ports)


def machines_sheet(cluster: str, machines: Sequence[Mapping[str, Any]]) -> Sheet:
    """Make the table of the machines of a cluster."""
    return Sheet(title=f"Machines of {cluster}", columns=_MACHINES, items=machines, data=machines)
