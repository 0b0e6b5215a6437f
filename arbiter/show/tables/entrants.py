"""The check of all entrants of a tournament as a sheet: one row for each bot."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from arbiter.preflight.evidence import Finding
from arbiter.show.tables.findings import step_object
from arbiter.show.tables.sheet import JSON, SHOWN, Column, Sheet


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
