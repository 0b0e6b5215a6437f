"""Comparisons of the bots of a pool as sheets: differences, residuals, cycles and Nash averaging."""

from typing import Final

from arbiter.errors import write_count
from arbiter.show.tables.ratings import estimate_columns, percent
from arbiter.show.tables.sheet import JSON, SHOWN, Column, Sheet
from arbiter.tournament.ratings.values import Cycle, Difference, NashRating, PoolAnalysis

_MOST_ROWS: Final = 10  # of residuals and cycles for people
_BOTS: Final[tuple[Column[Difference], ...]] = (
    Column("bot", value=lambda one: one.one, align="left"),
    Column("opponent", value=lambda one: one.two, align="left"),
)
_MEETING: Final[tuple[Column[Difference], ...]] = (
    Column("games"),
    Column("score", value=lambda one: one.score if one.games else None),
    Column(
        "expected",
        value=lambda one: round(one.expected, 3) if one.games else None,
        text=lambda one: round(one.expected, 1) if one.games else None,
    ),
)
_DIFFERENCES: Final[tuple[Column[Difference], ...]] = (
    *_BOTS,
    *estimate_columns("difference", lambda one: one.elo, ("difference", "low", "high")),
    Column("los", "LOS %", value=lambda one: round(one.superiority, 4), text=lambda one: percent(one.superiority)),
    *_MEETING,
    Column("residual", value=lambda one: round(one.residual, 3) if one.games else None, on=JSON),
)
_RESIDUALS: Final[tuple[Column[Difference], ...]] = (
    *_BOTS,
    *_MEETING,
    Column(
        "residual",
        value=lambda one: round(one.residual, 3) if one.games else None,
        text=lambda one: round(one.residual, 1),
    ),
)
_CYCLES: Final[tuple[Column[Cycle], ...]] = (
    Column("bots", value=lambda one: list(one.bots), on=JSON),
    Column("scores", value=lambda one: [round(score, 4) for score in one.scores], on=JSON),
    Column("bot", value=lambda one: one.bots[0], align="left", on=SHOWN),
    Column("beat", value=lambda one: one.bots[1], align="left", on=SHOWN),
    Column("score %", value=lambda one: round(100 * one.scores[0], 1), on=SHOWN),
    Column("that beat", value=lambda one: one.bots[2], align="left", on=SHOWN),
    Column("score %", value=lambda one: round(100 * one.scores[1], 1), on=SHOWN),
    Column("that beat the first", value=lambda one: f"{100 * one.scores[2]:.1f} %", align="left", on=SHOWN),
    Column(
        "likelihood",
        "likelihood %",
        value=lambda one: round(one.likelihood, 4),
        text=lambda one: percent(one.likelihood),
    ),
)
_NASH: Final[tuple[Column[NashRating], ...]] = (
    Column("bot", align="left"),
    Column("weight", "weight %", value=lambda one: round(one.weight, 4), text=lambda one: round(100 * one.weight, 1)),
    Column("elo", "Elo", value=lambda one: round(one.elo, 1) + 0.0, text=lambda one: round(one.elo)),
)


def differences_sheet(analysis: PoolAnalysis) -> Sheet:
    """Make the sheet of the differences between every two bots."""
    return Sheet(title="Differences: Elo with 95 % interval", columns=_DIFFERENCES, items=analysis.differences)


def residuals_sheet(analysis: PoolAnalysis) -> Sheet:
    """Make the sheet of the pairings that the ratings fit worst; programs receive all pairings."""
    return Sheet(
        title="Largest residuals: scores that differ most from those that the ratings predict",
        columns=_RESIDUALS,
        items=analysis.residuals,
        most_rows=_MOST_ROWS,
        notes=(
            (
                "The residual counts standard deviations of independent games without draws; with many pairings, a few of "
                "more than 2 are expected."
            ),
        ),
    )


def cycles_sheet(analysis: PoolAnalysis) -> Sheet:
    """Make the sheet of the most likely cycles; programs receive all."""
    count = len(analysis.cycles)
    more = f", the {_MOST_ROWS} most likely of them" if count > _MOST_ROWS else ""
    return Sheet(
        title=f"Cycles: {write_count(count, 'group')} of three bots in which each beat the next one{more}",
        columns=_CYCLES,
        items=analysis.cycles,
        most_rows=_MOST_ROWS,
        notes=("Chance alone makes cycles of bots of about equal strength; these have a low likelihood.",),
    )


def nash_sheet(analysis: PoolAnalysis) -> Sheet:
    """Make the sheet of Nash averaging."""
    return Sheet(
        title="Nash averaging: ratings if strength goes round in circles",
        columns=_NASH,
        items=analysis.nash,
        notes=(
            (
                "No bot is ahead of the mix of bots with these weights; Elo is the difference against that mix. "
                "A bot with all the weight beats every other."
            ),
        ),
    )
