"""The use of pieces, time and evaluations by bots, as sheets."""

from collections.abc import Sequence
from statistics import mean, median
from typing import Final

from arbiter.show.tables.sheet import Column, Sheet
from arbiter.tournament.habits import ChoiceUse, EvalUse, Habits, PieceUse, TimeUse

_LEAST_GAIN: Final = 2.0  # times as many first actions as by chance, from which a bot is named
_NOTHING: Final = "Nothing was counted: card games, and games from a position, are left out."
_NO_EVALS: Final = "No evaluations: the bots sent none, or only in card games and in games from a position."


def _percent(part: float, whole: float) -> int | None:
    return round(100 * part / whole) if whole else None


_COLUMNS: Final[tuple[Column[PieceUse], ...]] = (
    Column("bot", align="left"),
    Column("rank", align="left"),
    Column("pieces"),
    Column("moved", "moved %", text=lambda use: _percent(use.moved, use.pieces)),
    Column("moves"),
    Column("attacks"),
    Column("won", "won %", text=lambda use: _percent(use.won, use.attacks)),
    Column("lost", "lost %", text=lambda use: _percent(use.lost, use.attacks)),
    Column("known_lost", "lost to known"),
)
_NOTE: Final = (
    "Moved: pieces of this rank that moved at least once. Won and lost: attacks that removed only one of both pieces. "
    "Lost to known: attacks lost against a piece whose rank the bot had seen."
)


def pieces_sheet(habits: Habits) -> Sheet:
    """Make the sheet of the use of pieces by bot and rank, without ranks that nobody deployed."""
    items = [use for use in habits.pieces.values() if use.pieces]
    return Sheet(
        title="Use of pieces",
        columns=_COLUMNS,
        items=items,
        kind="pieces",
        notes=(*(_describe(use) for use in habits.choices.values() if use.choices), _NOTE) if items else (_NOTHING,),
    )


def _round(ms: float) -> float:
    return round(ms, 1)


_TIMES: Final[tuple[Column[TimeUse], ...]] = (
    Column("bot", align="left"),
    Column("phase", align="left"),
    Column("answers", value=lambda use: len(use.ms)),
    Column("median_ms", "median ms", value=lambda use: _round(median(use.ms))),
    Column("mean_ms", "mean ms", value=lambda use: _round(mean(use.ms))),
    Column("longest_ms", "longest ms", value=lambda use: _round(max(use.ms))),
)


def times_sheet(habits: Habits) -> Sheet:
    """Make the sheet of the times of answers by bot and phase."""
    items = [use for use in habits.times.values() if use.ms]
    phases = "Opening: up to a third of all pieces is lost. Middlegame: up to two thirds. Endgame: more."
    notes = (phases if items else _NOTHING,)
    return Sheet(title="Times of answers", columns=_TIMES, items=items, kind="times", notes=notes)


def _mean(values: Sequence[float]) -> float | None:
    return _round(mean(values)) if values else None


_EVALS: Final[tuple[Column[EvalUse], ...]] = (
    Column("bot", align="left"),
    Column("colour", align="left"),
    Column("phase", align="left"),
    Column("answers", value=lambda use: len(use.won) + len(use.lost)),
    Column("right", "right %", text=lambda use: None if use.right is None else round(100 * use.right)),
    Column("if_won", "mean if won", value=lambda use: _mean(use.won)),
    Column("if_lost", "mean if lost", value=lambda use: _mean(use.lost)),
)


def evals_sheet(habits: Habits) -> Sheet:
    """Make the sheet of the evaluations of bots, against the results of the games."""
    items = [use for use in habits.evals.values() if use.won or use.lost]
    right = "Right: evaluations, without zeros, that are positive in won games and negative in lost ones."
    notes = (right if items else _NO_EVALS,)
    return Sheet(title="Evaluations and results", columns=_EVALS, items=items, kind="evals", notes=notes)


def _describe(use: ChoiceUse) -> str:
    """Describe how often a bot chose the first of its legal actions."""
    share, chance = _percent(use.first, use.choices), _percent(use.expected, use.choices)
    often = "; does it take the first of equal actions?" if use.first > _LEAST_GAIN * use.expected else ""
    return f"{use.bot}: {share} % of its choices were the first of `legal` ({chance} % by chance){often}."
