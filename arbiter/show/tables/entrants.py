"""The check of all entrants of a tournament as a sheet: one row for each bot."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from arbiter.preflight.evidence import Finding
from arbiter.show.tables.findings import step_object
from arbiter.show.tables.sheet import Sheet


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


def entrants_sheet(entrants: Sequence[CheckedEntrant]) -> Sheet:
    """Make the sheet of the checks of all entrants."""
    return Sheet(
        title="Entrants",
        head=("bot", "result", "failed steps", "advice", "median ms", "slowest ms", "peak MiB"),
        rows=tuple(
            (
                one.bot,
                "failed" if one.failures else "ok",
                ", ".join(one.failures),
                ", ".join(one.advice),
                _rounded(one.median_ms),
                _rounded(one.slowest_ms),
                _rounded(one.peak_mib),
            )
            for one in entrants
        ),
        objects=tuple(_entrant_object(one) for one in entrants),
    )


def _entrant_object(one: CheckedEntrant) -> dict[str, Any]:
    return {
        "bot": one.bot,
        "ok": not one.failures,
        "median_ms": _rounded(one.median_ms),
        "slowest_ms": _rounded(one.slowest_ms),
        "peak_mib": _rounded(one.peak_mib),
        "steps": [step_object(*step) for step in one.findings],
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 1)
