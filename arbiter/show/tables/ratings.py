"""Ratings with their intervals, ratings by colour, likelihood of superiority, and comparisons of a pool as sheets."""

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise, permutations
from typing import Any, Final, TypeVar

from msgspec.structs import asdict, replace

from arbiter.errors import write_count
from arbiter.languages.phrase import Phrase, join_phrases, phrase
from arbiter.show.tables.sheet import JSON, LISTED, SHOWN, Column, Outputs, Sheet
from arbiter.show.tables.standings import ROW_AND_BOT
from arbiter.show.text import number
from arbiter.tournament.ratings.values import (
    Cycle,
    Difference,
    Estimate,
    PoolAnalysis,
    Prior,
    Rating,
    Ratings,
)

_Item = TypeVar("_Item")
_MOST_PERCENT: Final = 99
_WIDEST: Final = 200  # Elo; a wider interval shows little of red's advantage


def estimate_columns(
    key: str, find: Callable[[_Item], Estimate | None], heads: tuple[str, str, str]
) -> tuple[Column[_Item], ...]:
    """Make the columns of an estimate in Elo and its interval, which are one value in JSON."""
    head, low, high = heads
    return (
        Column(key, head, lambda item: estimate_object(find(item)), lambda item: _round(find(item), "elo")),
        Column(f"{key}_low", low, lambda item: _round(find(item), "low"), on=SHOWN),
        Column(f"{key}_high", high, lambda item: _round(find(item), "high"), on=SHOWN),
    )


def _round(estimate: Estimate | None, field: str) -> int | None:
    return None if estimate is None else round(getattr(estimate, field))


def estimate_object(estimate: Estimate | None) -> dict[str, float] | None:
    """Return an estimate in Elo and its interval as an object for programs."""
    return None if estimate is None else {name: round(value, 1) + 0.0 for name, value in asdict(estimate).items()}


def percent(likelihood: float | None) -> int | str | None:
    """Write a likelihood in whole percents, which is as exact as a simulation is; it is never exactly 0 or 100."""
    if likelihood is None:
        return None
    rounded = round(100 * likelihood)
    return "<1" if rounded < 1 else ">99" if rounded > _MOST_PERCENT else rounded


def likelihood_column(key: str, find: Callable[[_Item], float | None], head: str | None = None) -> Column[_Item]:
    """Make the column of a likelihood: up to 1 in JSON, otherwise in percent."""

    def read(item: _Item) -> float | None:
        likelihood = find(item)
        return None if likelihood is None else round(likelihood, 3)

    return Column(key, head, read, lambda item: percent(find(item)))


_RATING: Final[tuple[Column[Rating], ...]] = estimate_columns(
    "rating", lambda one: one.rating, ("rating", "low", "high")
)
_BY_COLOUR: Final[tuple[Column[Rating], ...]] = (
    *estimate_columns("as_red", lambda one: one.as_red, ("as red", "low", "high")),
    *estimate_columns("as_blue", lambda one: one.as_blue, ("as blue", "low", "high")),
)
_GROUP: Final[Column[Rating]] = Column("group")
_RANKS: Final[tuple[Column[Rating], ...]] = (
    likelihood_column("first", lambda one: one.first, "first_percent"),
    Column(
        "ranks",
        text=lambda one: None if one.ranks is None else "-".join(map(str, dict.fromkeys(one.ranks))),
        align="left",
    ),
)
_DEPLOYMENTS: Final[Column[Rating]] = Column("few_deployments", on=JSON)
_EVIDENCE: Final[tuple[Column[Rating], ...]] = (Column("games"), Column("distinct_games", "distinct"))


def _for_json(columns: Iterable[Column[Rating]]) -> list[Column[Rating]]:
    return [replace(column, on=JSON) for column in columns if "json" in column.on]


def ratings_sheet(ratings: Ratings, *, by_colour: bool = False) -> Sheet:
    """Make the sheet of ratings with 95 % intervals; LOS is the likelihood that a bot is stronger than the next one.

    `first` is the probability that a bot is the strongest, `ranks` are those that it has with a probability of 95 %.
    """
    next_bots = {one.bot: following.bot for one, following in pairwise(ratings.bots)}

    def find_superiority(one: Rating) -> int | str | None:
        return percent(ratings.superiority.get(one.bot, {}).get(next_bots.get(one.bot, "")))

    columns: list[Column[Rating]] = [
        replace(_GROUP, on=LISTED if len(ratings.groups) > 1 else JSON),
        Column("bot", align="left"),
        *_RATING,
        Column("los", value=find_superiority, on=SHOWN),
        *_RANKS,
        *(_BY_COLOUR if by_colour else _for_json(_BY_COLOUR)),
        *(replace(one, on=LISTED if ratings.distinct_games < ratings.games else JSON) for one in _EVIDENCE),
        _DEPLOYMENTS,
        Column("prior", value=lambda one: prior_object(ratings.prior) if one.rating else None, on=JSON),
    ]
    return Sheet(
        title=phrase("ratings"),
        columns=columns,
        items=ratings.bots,
        notes=tuple(describe_ratings(ratings)),
    )


def describe_ratings(ratings: Ratings) -> Iterator[str]:
    """Yield sentences about the scale of ratings, the advantage of red, and what is missing."""
    anchor = ratings.anchor
    if anchor is None:
        yield phrase("mean_is_zero")
    elif not any(anchor.bot in group for group in ratings.groups):
        yield phrase("anchor_idle", bot=anchor.bot)
    else:
        yield phrase("anchor_at", bot=anchor.bot, elo=number(anchor.elo))
    if ratings.prior:
        yield _describe_prior(ratings.prior)
        yield phrase("draws_are_half")
    if ratings.red_advantage:
        yield describe_red_advantage(ratings.red_advantage)
    if len(ratings.groups) > 1:
        yield phrase("groups_apart")
    if len(ratings.bots) > sum(map(len, ratings.groups)):
        yield phrase("bots_unrated")
    yield from _describe_repeats(ratings)


def prior_object(prior: Prior | None) -> dict[str, Any] | None:
    """Return what ratings assume as an object for programs."""
    if prior is None:
        return None
    return {"drawn_games": prior.drawn_games, "spread": estimate_object(prior.spread), "draws": "half won, half lost"}


def _describe_prior(prior: Prior) -> str:
    """Describe what ratings assume before the first game."""
    spread = prior.spread
    if spread is None:
        return phrase("prior_draws", games=f"{prior.drawn_games:g}")
    if spread.low < spread.high:
        return phrase("prior_estimated", **_round_all(spread))
    return phrase("prior_spread", elo=round(spread.elo))


def _round_all(estimate: Estimate) -> dict[str, int]:
    return {name: round(value) for name, value in asdict(estimate).items()}


def _describe_repeats(ratings: Ratings) -> Iterator[str]:
    if ratings.distinct_games < ratings.games:
        yield describe_repeats(ratings.games, ratings.distinct_games)
    few = [
        phrase("deployments_of", bot=one.bot, count=one.few_deployments)
        for one in ratings.bots
        if one.few_deployments is not None
    ]
    if few:
        yield phrase("few_deployments", bots=join_phrases(", ", few))


def describe_repeats(games: int, distinct: int) -> Phrase:
    """Describe how many distinct games are the evidence of ratings."""
    return phrase("evidence", count=distinct, games=games)


def describe_red_advantage(advantage: Estimate) -> str:
    """Describe the advantage of red in a sentence."""
    is_known = advantage.high - advantage.low <= _WIDEST
    return phrase("red_advantage" if is_known else "red_unknown", **_round_all(advantage))


def with_ratings(standings: Sheet, ratings: Ratings) -> Sheet:
    """Add the ratings to a sheet of standings."""
    find_bot = standings.column("bot").read
    rated = {one.bot: one for one in ratings.bots}

    def find(item: Any) -> Rating:  # noqa: ANN401 - an item of any sheet with a column `bot`
        bot = find_bot(item)
        return rated.get(bot) or Rating(bot=bot)

    def adapt(column: Column[Rating], on: Outputs, title: str | None = None) -> Column[Any]:
        return replace(
            column,
            title=title or column.title,
            value=lambda item: column.read(find(item)),
            text=lambda item: column.cell(find(item)),
            on=on,
        )

    rating, low, high = _RATING
    interval: Column[Any] = Column(
        "interval",
        value=lambda item: find(item).rating,
        width="drop",
        on=("page",),
        align="left",
    )
    return standings.add(
        [
            adapt(rating, ("csv", "json", "page")),
            adapt(low, ("csv",), "rating low"),
            adapt(high, ("csv",), "rating high"),
            interval,
            *(adapt(one, JSON) for one in _for_json((*_BY_COLOUR, _GROUP, *_RANKS, _EVIDENCE[-1]))),
        ]
    )


def superiority_sheet(ratings: Ratings) -> Sheet:
    """Make the sheet of the likelihood in percent that a bot (row) is stronger than another (column)."""
    bots = [one.bot for one in ratings.bots if one.rating]

    def make_column(row: int, other: str) -> Column[tuple[int, str]]:
        return Column(str(row), value=lambda one: percent(ratings.superiority[one[1]].get(other)), on=SHOWN)

    return Sheet(
        title="Likelihood of superiority in %",
        columns=[*ROW_AND_BOT, *(make_column(*one) for one in enumerate(bots, start=1))],
        items=list(enumerate(bots, start=1)),
        data=[
            {"bot": bot, "opponent": other, "los": round(ratings.superiority[bot][other], 3)}
            for bot, other in permutations(bots, 2)
            if other in ratings.superiority[bot]
        ],
        notes=tuple(_describe_repeats(ratings)),
    )


# --- comparisons of the bots of a pool ------------------------------------------------------------

_MOST_ROWS: Final = 10  # of residuals and cycles for people
_SURE: Final = 0.05  # greatest p-value of a finding
_P_DIGITS: Final = 3
_LEAST_P: Final = 0.005
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
_RESIDUAL: Final[Column[Difference]] = Column(
    "residual",
    value=lambda one: round(one.residual, 3) if one.games else None,
    text=lambda one: round(one.residual, 1),
)
_DIFFERENCES: Final[tuple[Column[Difference], ...]] = (
    *_BOTS,
    *estimate_columns("difference", lambda one: one.elo, ("difference", "low", "high")),
    likelihood_column("los", lambda one: one.superiority),
    *_MEETING,
    replace(_RESIDUAL, on=JSON),
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
    Column("p_value", "p", value=lambda one: round(one.p_value, 3)),
)


def differences_sheet(analysis: PoolAnalysis) -> Sheet:
    """Make the sheet of the differences between every two bots."""
    return Sheet(title="Differences: Elo with 95 % interval", columns=_DIFFERENCES, items=analysis.differences)


def residuals_sheet(analysis: PoolAnalysis) -> Sheet:
    """Make the sheet of the pairings that the ratings fit worst; programs receive all pairings."""
    return Sheet(
        title="Largest residuals: scores that differ most from those that the ratings predict",
        columns=(*_BOTS, *_MEETING, _RESIDUAL),
        items=analysis.residuals,
        most_rows=_MOST_ROWS,
        notes=(
            (
                "The residual counts standard deviations, with the draws and the correlation of this pool; with "
                "many pairings, a few of more than 2 are expected."
            ),
            *describe_misfit(analysis),
        ),
    )


def cycles_sheet(analysis: PoolAnalysis) -> Sheet:
    """Make the sheet of the cycles that are clearer than chance makes them; programs receive all."""
    count = len(analysis.cycles)
    more = f", the {_MOST_ROWS} clearest of them" if count > _MOST_ROWS else ""
    return Sheet(
        title=f"Cycles: {write_count(count, 'group')} of three bots in which each beat the next one{more}",
        columns=_CYCLES,
        items=analysis.cycles,
        most_rows=_MOST_ROWS,
        notes=(
            *describe_misfit(analysis),
            *(
                ["p is the probability that chance makes so clear a cycle anywhere in a pool without cycles."]
                if analysis.cycles
                else []
            ),
        ),
    )


def describe_misfit(analysis: PoolAnalysis) -> Iterator[str]:
    """Yield a sentence about whether chance explains that scores differ from the ratings."""
    found = analysis.cyclicity
    if found is None:
        yield "The pairings are too few to distinguish cycles from chance."
        return
    p_value = f"p {'<' if found.p_value < _LEAST_P else '='} {max(found.p_value, _LEAST_P):.{_P_DIGITS}f}"
    if found.p_value <= _SURE:
        yield (
            f"The scores go round in circles more than chance explains ({p_value}); about "
            f"{round(100 * found.share)} % of the variance of the differences in strength is cyclic."
        )
    else:
        yield f"Chance alone explains how far the scores differ from the ratings ({p_value})."
