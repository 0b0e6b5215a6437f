"""Scores of bots by parts of their games, and findings, as sheets."""

from collections.abc import Callable, Sequence
from typing import Final

from arbiter.errors import write_count
from arbiter.languages.phrase import Phrase, phrase
from arbiter.show.tables.sheet import LISTED, Column, Sheet
from arbiter.tournament.ratings.parts import ScorePart


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
    _share_column("score", "score_percent", lambda part: part.score),
    _share_column("low", "low", lambda part: part.low),
    _share_column("high", "high", lambda part: part.high),
    _share_column("expected", "expected_percent", lambda part: part.expected),
    Column(
        "standard_errors",
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


def scores_sheet(parts: Sequence[ScorePart], *, names_bots: bool = True) -> Sheet:
    """Make the sheet of the scores by parts of the games; findings are sentences below it."""
    findings = describe_findings(parts)
    return Sheet(
        title=phrase("scores_by_parts"),
        columns=(_BOT, *_PARTS) if names_bots else _PARTS,
        items=parts,
        notes=(*(findings or [phrase("no_findings")]), phrase("findings")) if parts else (),
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


def describe_findings(parts: Sequence[ScorePart]) -> list[Phrase]:
    """Describe each finding in a sentence."""
    return [_describe(part) for part in parts if part.is_finding]


def _describe(part: ScorePart) -> Phrase:
    values = {
        "bot": part.bot,
        "part": part.name if part.aspect == "colour" else phrase(f"part_{part.aspect}", name=part.name),
        "score": f"{100 * part.score:.0f}",
        "errors": f"{abs(part.errors or 0.0):.1f}",
    }
    if part.rest:
        rest_score = f"{100 * (part.rest_score or 0.0):.0f}"
        return phrase("finding_and_rest", **values, rest=part.rest, rest_score=rest_score)
    return phrase("finding", **values, expected=f"{100 * (part.expected or 0.0):.0f}")
