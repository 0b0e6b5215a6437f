"""Comparisons of the bots of a pool as sheets: differences, residuals, cycles and Nash averaging."""

from typing import Final

from arbiter.show.tables.ratings import estimate_cells, estimate_object, percent
from arbiter.show.tables.sheet import Sheet
from arbiter.tournament.ratings.values import Difference, PoolAnalysis

_MOST_ROWS: Final = 10  # of residuals and cycles for people


def differences_sheet(analysis: PoolAnalysis) -> Sheet:
    """Make the sheet of the differences between every two bots."""
    return Sheet(
        title="Differences: Elo with 95 % interval",
        head=("bot", "opponent", "difference", "low", "high", "LOS %", "games", "score", "expected"),
        rows=tuple(
            (one.one, one.two, *estimate_cells(one.elo), percent(one.superiority), *_meeting_cells(one))
            for one in analysis.differences
        ),
        objects=tuple(
            {
                "bot": one.one,
                "opponent": one.two,
                "difference": estimate_object(one.elo),
                "los": round(one.superiority, 4),
                **_meeting_object(one),
            }
            for one in analysis.differences
        ),
    )


def residuals_sheet(analysis: PoolAnalysis) -> Sheet:
    """Make the sheet of the pairings that the ratings fit worst; programs receive all pairings."""
    return Sheet(
        title="Largest residuals: scores that differ most from those that the ratings predict",
        head=("bot", "opponent", "games", "score", "expected", "residual"),
        rows=tuple(
            (one.one, one.two, *_meeting_cells(one), round(one.residual, 1)) for one in analysis.residuals[:_MOST_ROWS]
        ),
        objects=tuple({"bot": one.one, "opponent": one.two, **_meeting_object(one)} for one in analysis.residuals),
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
        title=f"Cycles: {count} group{'s' * (count != 1)} of three bots in which each beat the next one{more}",
        head=("bot", "beat", "score %", "that beat", "score %", "that beat the first", "likelihood %"),
        rows=tuple(
            (
                cycle.bots[0],
                cycle.bots[1],
                round(100 * cycle.scores[0], 1),
                cycle.bots[2],
                round(100 * cycle.scores[1], 1),
                f"{100 * cycle.scores[2]:.1f} %",
                percent(cycle.likelihood),
            )
            for cycle in analysis.cycles[:_MOST_ROWS]
        ),
        objects=tuple(
            {
                "bots": list(cycle.bots),
                "scores": [round(score, 4) for score in cycle.scores],
                "likelihood": round(cycle.likelihood, 4),
            }
            for cycle in analysis.cycles
        ),
        notes=("Chance alone makes cycles of bots of about equal strength; these have a low likelihood.",),
    )


def nash_sheet(analysis: PoolAnalysis) -> Sheet:
    """Make the sheet of Nash averaging."""
    return Sheet(
        title="Nash averaging: ratings if strength goes round in circles",
        head=("bot", "weight %", "Elo"),
        rows=tuple((one.bot, round(100 * one.weight, 1), round(one.elo)) for one in analysis.nash),
        objects=tuple(
            {"bot": one.bot, "weight": round(one.weight, 4), "elo": round(one.elo, 1) + 0.0} for one in analysis.nash
        ),
        notes=(
            (
                "No bot is ahead of the mix of bots with these weights; Elo is the difference against that mix. "
                "A bot with all the weight beats every other."
            ),
        ),
    )


def _meeting_cells(one: Difference) -> tuple[float | None, ...]:
    return (one.games, one.score, round(one.expected, 1)) if one.games else (0, None, None)


def _meeting_object(one: Difference) -> dict[str, object]:
    return {
        "games": one.games,
        "score": one.score if one.games else None,
        "expected": round(one.expected, 3) if one.games else None,
        "residual": round(one.residual, 3) if one.games else None,
    }
