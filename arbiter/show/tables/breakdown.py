"""Scores of bots by parts of their games, and findings, as sheets."""

from collections.abc import Callable, Sequence
from typing import Final

from arbiter.errors import write_count
from arbiter.show.tables.sheet import LISTED, Column, Sheet
from arbiter.tournament.ratings.parts import Aspect, ScorePart


def _share_column(key: str, title: str, find: Callable[[ScorePart], float | None]) -> Column[ScorePart]:
    """Make the column of a share: up to 1 in JSON, otherwise in percent."""

    def multiply(part: ScorePart, factor: int, digits: int | None = None) -> float | None:
        share = find(part)
        return None if share is None else round(factor * share, digits)

    return Column(key, title, lambda part: multiply(part, 1, 4), lambda part: multiply(part, 100), width="keep")


_BOT: Final[Column[ScorePart]] = Column("bot", align="left")
_PARTS: Final[tuple[Column[ScorePart], ...]] = (
    Column("by", value=lambda part: part.aspect, align="left"),
    Column("part", value=lambda part: part.name, align="left"),
    Column("games", width="keep"),
    _share_column("score", "score %", lambda part: part.score),
    _share_column("low", "low", lambda part: part.low),
    _share_column("high", "high", lambda part: part.high),
    _share_column("expected", "expected %", lambda part: part.expected),
    Column(
        "standard_errors",
        "std errors",
        value=lambda part: None if part.errors is None else round(part.errors, 2),
        text=lambda part: None if part.errors is None else round(part.errors, 1),
        width="keep",
    ),
    Column(
        "finding",
        value=lambda part: part.is_finding,
        text=lambda part: "yes" if part.is_finding else None,
        align="left",
        on=LISTED,
        is_optional=True,
    ),
)
_NOTE: Final = (
    "The expected score follows from the ratings and from the other games of the bot; the score differs from it by so "
    "many standard errors. A finding is a difference that chance does not explain, although so many are compared. "
    "Repeated games are left out."
)
_WHERE: Final[dict[Aspect, str]] = {
    "colour": "{}",
    "opponent": "against {}",
    "length": "games of {}",
    "phase": "games that end in the {}",
    "deployment": "deployment {}",
    "version": "version {}",
}


def scores_sheet(parts: Sequence[ScorePart], *, names_bots: bool = True) -> Sheet:
    """Make the sheet of the scores by parts of the games; findings are sentences below it."""
    findings = describe_findings(parts)
    return Sheet(
        title="Scores by parts of the games, with 95 % interval",
        columns=(_BOT, *_PARTS) if names_bots else _PARTS,
        items=parts,
        notes=(*findings, _NOTE) if findings else ("No findings.", _NOTE) if parts else (),
    )


def findings_sheet(parts: Sequence[ScorePart]) -> Sheet:
    """Make the sheet of the findings alone."""
    found = [part for part in parts if part.is_finding]
    return Sheet(
        title=f"{write_count(len(found), 'finding')}: parts of the games with an unexpected score",
        columns=(_BOT, *_PARTS[:-1]),
        items=found,
        notes=(*describe_findings(found), "--show scores lists all parts, and explains the columns."),
    )


def describe_findings(parts: Sequence[ScorePart]) -> list[str]:
    """Describe each finding in a sentence."""
    return [_describe(part) for part in parts if part.is_finding]


def _describe(part: ScorePart) -> str:
    errors = f"{abs(part.errors or 0.0):.1f} standard errors"
    score = f"{part.bot}: {_WHERE[part.aspect].format(part.name)} scores {100 * part.score:.0f} %"
    if part.rest:
        return f"{score}, {part.rest} {100 * (part.rest_score or 0.0):.0f} %: {errors}."
    return f"{score}, {100 * (part.expected or 0.0):.0f} % expected: {errors}."
