"""Ratings with their intervals, ratings by colour, and likelihood of superiority as sheets."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, permutations
from typing import Any, Final, TypeVar

from msgspec.structs import asdict, replace

from arbiter.errors import write_count
from arbiter.show.tables.sheet import EVERYWHERE, JSON, LISTED, SHOWN, Column, Outputs, Sheet
from arbiter.show.tables.standings import ROW_AND_BOT
from arbiter.show.text import number
from arbiter.tournament.ratings.values import Estimate, Rating, Ratings

_Item = TypeVar("_Item")
_LIKELY_RANKS: Final[tuple[Column[Rating], ...]] = (
    Column(
        "first",
        "first %",
        value=lambda one: None if one.first is None else round(one.first, 4),
        text=lambda one: percent(one.first),
    ),
    Column(
        "ranks",
        text=lambda one: None if one.ranks is None else "-".join(map(str, dict.fromkeys(one.ranks))),
        align="left",
    ),
)


def ratings_sheet(ratings: Ratings, *, by_colour: bool = False) -> Sheet:
    """Make the sheet of ratings with 95 % intervals; LOS is the likelihood that a bot is stronger than the next one.

    `first` is the probability that a bot is the strongest, `ranks` are those that it has with a probability of 95 %.
    """
    next_bots = {one.bot: following.bot for one, following in pairwise(ratings.bots)}
    colours = LISTED if by_colour else JSON
    columns: list[Column[Rating]] = [
        Column("group", on=LISTED if len(ratings.groups) > 1 else JSON),
        Column("bot", align="left"),
        *estimate_columns("rating", lambda one: one.rating, ("rating", "low", "high")),
        Column(
            "los",
            "LOS %",
            value=lambda one: percent(ratings.superiority.get(one.bot, {}).get(next_bots.get(one.bot, ""))),
            on=SHOWN,
        ),
        *_LIKELY_RANKS,
        *estimate_columns("as_red", lambda one: one.as_red, ("as red", "low", "high"), colours),
        *estimate_columns("as_blue", lambda one: one.as_blue, ("as blue", "low", "high"), colours),
        Column("repeated_pairs", "repeated pairs", on=LISTED if ratings.repeated_pairs else JSON),
    ]
    return Sheet(
        title="Ratings: Elo with 95 % interval", columns=columns, items=ratings.bots, notes=tuple(_notes(ratings))
    )


def estimate_columns(
    key: str,
    find: Callable[[_Item], Estimate | None],
    heads: tuple[str, str, str],
    on: Outputs = EVERYWHERE,
) -> tuple[Column[_Item], ...]:
    """Make the columns of an estimate in Elo and its interval, which are one value in JSON."""
    head, low, high = heads
    shown = tuple(output for output in on if output != "json")
    return (
        Column(key, head, lambda item: estimate_object(find(item)), lambda item: _round(find(item), "elo"), on=on),
        Column(f"{key}_low", low, lambda item: _round(find(item), "low"), on=shown),
        Column(f"{key}_high", high, lambda item: _round(find(item), "high"), on=shown),
    )


def _round(estimate: Estimate | None, field: str) -> int | None:
    return None if estimate is None else round(getattr(estimate, field))


def estimate_object(estimate: Estimate | None) -> dict[str, float] | None:
    """Return an estimate in Elo and its interval as an object for programs."""
    return None if estimate is None else {name: round(value, 1) + 0.0 for name, value in asdict(estimate).items()}


def percent(likelihood: float | None) -> float | None:
    """Return a likelihood in percent; an estimate by simulation is never exactly 0 or 100."""
    return None if likelihood is None else min(99.9, max(0.1, round(100 * likelihood, 1)))


def _notes(ratings: Ratings) -> Iterator[str]:
    anchor = ratings.anchor
    if anchor is None:
        yield "The mean is 0."
    elif not any(anchor.bot in group for group in ratings.groups):
        yield f"The mean is 0: {anchor.bot}, the anchor, has not played."
    else:
        yield f"{anchor.bot} is the anchor at {number(anchor.elo)}."
    if ratings.red_advantage:
        yield describe_red_advantage(ratings.red_advantage)
    if len(ratings.groups) > 1:
        yield "Ratings of different groups cannot be compared: no games connect them."
    if len(ratings.bots) > sum(map(len, ratings.groups)):
        yield "Bots without a rating have no games yet that count for it."
    yield from _describe_repeats(ratings)


def _describe_repeats(ratings: Ratings) -> Iterator[str]:
    if repeated := ratings.repeated_pairs:
        verb = "repeats an earlier one and does" if repeated == 1 else "repeat earlier ones and do"
        yield f"{write_count(repeated, 'pair of games', 'pairs of games')} {verb} not count: repeated games are no evidence."


def describe_red_advantage(advantage: Estimate) -> str:
    """Describe the advantage of red in a sentence."""
    return f"Having red is worth {advantage.elo:.0f} Elo (95 %: {advantage.low:.0f} to {advantage.high:.0f})."


def with_ratings(standings: Sheet, ratings: Ratings) -> Sheet:
    """Add the ratings to a sheet of standings."""
    find_bot = standings.column("bot").read
    rated = {one.bot: one for one in ratings.bots}

    def find(item: Any) -> Rating:  # noqa: ANN401 - an item of any sheet with a column `bot`
        bot = find_bot(item)
        return rated.get(bot) or Rating(bot=bot)

    rating: Sequence[Column[Any]] = estimate_columns(
        "rating", lambda item: find(item).rating, ("rating", "rating low", "rating high"), ("csv", "json", "page")
    )
    columns: list[Column[Any]] = [
        rating[0],
        *(replace(column, on=("csv",)) for column in rating[1:]),
        Column(
            "interval",
            value=lambda item: find(item).rating,
            align="left",
            width="drop",
            on=("page",),
            page_title="95 % interval",
        ),
        Column("as_red", value=lambda item: estimate_object(find(item).as_red), on=JSON),
        Column("as_blue", value=lambda item: estimate_object(find(item).as_blue), on=JSON),
        Column("group", value=lambda item: find(item).group, on=JSON),
        *(replace(one, value=lambda item, read=one.read: read(find(item)), on=JSON) for one in _LIKELY_RANKS),
        Column("repeated_pairs", value=lambda item: find(item).repeated_pairs, on=JSON),
    ]
    return standings.add(columns)


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
            {"bot": bot, "opponent": other, "los": round(ratings.superiority[bot][other], 4)}
            for bot, other in permutations(bots, 2)
            if other in ratings.superiority[bot]
        ],
        notes=tuple(_describe_repeats(ratings)),
    )
