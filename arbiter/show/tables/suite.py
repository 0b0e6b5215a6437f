"""The answers of a bot to a suite of positions."""

from collections.abc import Sequence
from typing import Any, Final

from arbiter.preflight.suite import Suite, SuiteAnswer, SuitePosition
from arbiter.show.tables.sheet import Column, Sheet
from arbiter.show.text import plain

_NO_THEME: Final = "(no theme)"
_SCORES: Final[tuple[Column[tuple[str, int, int]], ...]] = (
    Column("theme", value=lambda one: one[0], align="left"),
    Column("passed", value=lambda one: one[1]),
    Column("positions", value=lambda one: one[2]),
)


def write_answer(position: SuitePosition, answer: SuiteAnswer) -> str:
    """Write one line: the position, what the bot did, and what was expected if it failed."""
    mark = "ok    " if answer.passed else "failed"
    line = f"{mark}  {position.table.name}: {answer.got}"
    if answer.evidence is not None:
        line += f" ({answer.evidence.why})"
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


def _count_by_theme(suite: Suite, answers: Sequence[SuiteAnswer]) -> dict[str, tuple[int, int]]:
    """Count the positions passed and played, by theme in the order of the suite."""
    counts: dict[str, tuple[int, int]] = {}
    for position, answer in zip(suite.positions, answers, strict=False):
        theme = position.table.theme or _NO_THEME
        passed, played = counts.get(theme, (0, 0))
        counts[theme] = (passed + answer.passed, played + 1)
    return counts


def suite_object(suite: Suite, answers: Sequence[SuiteAnswer]) -> dict[str, Any]:
    """Return the score as a JSON object."""
    return {
        "type": "suite",
        "name": suite.name,
        "passed": sum(answer.passed for answer in answers),
        "positions": len(answers),
        "themes": {
            theme: {"passed": passed, "positions": played}
            for theme, (passed, played) in _count_by_theme(suite, answers).items()
        },
    }


def suite_sheet(suite: Suite, answers: Sequence[SuiteAnswer]) -> Sheet:
    """Make the table of scores, by theme."""
    counts = [(theme, *count) for theme, count in _count_by_theme(suite, answers).items()]
    counts.append(("all", sum(answer.passed for answer in answers), len(answers)))
    return Sheet(title="Score", columns=_SCORES, items=counts, data=(suite_object(suite, answers),))
