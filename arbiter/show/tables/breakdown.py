"""Scores of bots by parts of their games, and findings, as sheets."""

from collections.abc import Callable, Sequence
from typing import Final

from arbiter.errors import write_count
from arbiter.show.phrase import Phrase, phrase
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
WHERE: Final[dict[Aspect, str]] = {
    "colour": "{name}",
    "opponent": "against {name}",
    "length": "games of {name}",
    "phase": "games that end in the {name}",
    "deployment": "deployment {name}",
    "version": "version {name}",
}
"""Templates of the parts of games in findings."""
_NAMES: Final[frozenset[Aspect]] = frozenset({"opponent", "version"})
"""Parts whose names are no words."""


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


def describe_findings(parts: Sequence[ScorePart]) -> list[Phrase]:
    """Describe each finding in a sentence."""
    return [_describe(part) for part in parts if part.is_finding]


def _describe(part: ScorePart) -> Phrase:
    name = part.name if part.aspect in _NAMES else phrase(part.name)
    values = {
        "bot": part.bot,
        "part": phrase(WHERE[part.aspect], name=name),
        "score": f"{100 * part.score:.0f}",
        "errors": f"{abs(part.errors or 0.0):.1f}",
    }
    if part.rest:
        rest = {"rest": phrase(part.rest), "rest_score": f"{100 * (part.rest_score or 0.0):.0f}"}
        template = "{bot}: {part} scores {score} %, {rest} {rest_score} %: {errors} standard errors."
        return phrase(template, **values, **rest)
    template = "{bot}: {part} scores {score} %, {expected} % expected: {errors} standard errors."
    return phrase(template, **values, expected=f"{100 * (part.expected or 0.0):.0f}")
