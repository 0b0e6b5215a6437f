"""A match of two bots as sheets: how much the one is ahead, its pairs of games, and what a test makes of them."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from arbiter.show.tables.ratings import estimate_cells, estimate_object, percent, told_advantage
from arbiter.show.tables.sheet import Sheet
from arbiter.show.text import number, tidied
from arbiter.tournament.ratings.pairs import Pentanomial
from arbiter.tournament.ratings.sprt import Sprt, SprtRun
from arbiter.tournament.ratings.values import Estimate
from arbiter.tournament.standings.crosstable import Tally

KINDS: Final = ("LL", "LD", "DD or WL", "WD", "WW")  # of pairs: what the first bot made of its two games


class Ahead(Struct, frozen=True, kw_only=True):
    """What a match came to for its first bot; what no game tells is None."""

    bot: str
    opponent: str
    tally: Tally
    elo: Estimate | None
    superiority: float | None
    red_advantage: Estimate | None
    pairs: Pentanomial


def match_sheets(ahead: Ahead, trial: SprtRun | None) -> tuple[Sheet, Sheet]:
    """Make the sheets of a match; a program is given all of it as one object."""
    tally, games = ahead.tally, ahead.tally.games
    share = round(100 * tally.score / games, 1) if games else None
    return (
        Sheet(
            title=f"{ahead.bot} against {ahead.opponent}: Elo with 95 % interval",
            head=("score", "games", "score %", "Elo", "low", "high", "LOS %"),
            rows=((tally.score, games, share, *estimate_cells(ahead.elo), percent(ahead.superiority)),),
            objects=(_object(ahead, trial),),
            notes=() if ahead.red_advantage is None else (told_advantage(ahead.red_advantage),),
        ),
        Sheet(
            title=f"Pairs of games, as {ahead.bot} won (W), drew (D) and lost (L)",
            head=tuple(reversed(KINDS)),
            rows=(tuple(reversed(ahead.pairs)),),
            objects=(),
            notes=() if trial is None else (told_test(trial, ahead.bot),),
        ),
    )


def told_llr(trial: SprtRun) -> str:
    """Tell how far a test has come."""
    sprt = trial.sprt
    if trial.accepted:
        return f"LLR {trial.llr:.2f}: {trial.accepted} accepted"
    return f"LLR {trial.llr:.2f} ({sprt.lower:.2f} to {sprt.upper:.2f})"


def told_test(trial: SprtRun, bot: str) -> str:
    """Tell what a test came to, in a sentence."""
    sprt = trial.sprt
    what = f"SPRT of {number(sprt.elo0)} against {number(sprt.elo1)} logistic Elo ({_errors(sprt)})"
    judged = sum(trial.counts)
    where = f"LLR {trial.llr:.2f} of {sprt.lower:.2f} to {sprt.upper:.2f} after {judged} pair{'s' * (judged != 1)}"
    return f"{what}: {where}; {_verdict(trial, bot)}."


def _errors(sprt: Sprt) -> str:
    return f"alpha {number(sprt.alpha)}, beta {number(sprt.beta)}"


def _verdict(trial: SprtRun, bot: str) -> str:
    if trial.accepted is None:
        return "not decided yet"
    elo = trial.sprt.elo1 if trial.accepted == "H1" else trial.sprt.elo0
    rather = trial.sprt.elo0 if trial.accepted == "H1" else trial.sprt.elo1
    return f"{trial.accepted} is accepted: {bot} is ahead by {number(elo)} rather than by {number(rather)}"


def _object(ahead: Ahead, trial: SprtRun | None) -> dict[str, object]:
    return {
        "bot": ahead.bot,
        "opponent": ahead.opponent,
        "score": tidied(ahead.tally.score),
        "games": ahead.tally.games,
        "elo": estimate_object(ahead.elo),
        "red_advantage": estimate_object(ahead.red_advantage),
        "los": None if ahead.superiority is None else round(ahead.superiority, 4),
        "pairs": _named(ahead.pairs),
        "sprt": None if trial is None else _trial_object(trial),
    }


def _named(counts: Sequence[int]) -> dict[str, int]:
    return dict(reversed(list(zip(KINDS, counts, strict=True))))


def _trial_object(trial: SprtRun) -> dict[str, object]:
    sprt = trial.sprt
    return {
        "elo0": sprt.elo0,
        "elo1": sprt.elo1,
        "alpha": sprt.alpha,
        "beta": sprt.beta,
        "llr": round(trial.llr, 4),
        "lower": round(sprt.lower, 4),
        "upper": round(sprt.upper, 4),
        "pairs": _named(trial.counts),
        "verdict": trial.accepted,
    }
