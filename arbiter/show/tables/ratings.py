"""Ratings with their intervals, ratings by colour, and likelihood of superiority as sheets."""

from collections.abc import Iterator
from itertools import permutations
from typing import Final

from msgspec.structs import asdict, replace

from arbiter.show.tables.sheet import Cell, Sheet
from arbiter.show.text import number
from arbiter.tournament.ratings.values import Estimate, Rating, Ratings

_NONE: Final = (None, None, None)


def ratings_sheet(ratings: Ratings, *, by_colour: bool = False) -> Sheet:
    """Make the sheet of ratings with 95 % intervals; LOS is the likelihood that a bot is stronger than the next one.

    `first` is the probability that a bot is the strongest, `ranks` are those that it has with a probability of 95 %.
    """
    following = [one.bot for one in ratings.bots[1:]]
    several = len(ratings.groups) > 1
    repeats = ("repeated pairs",) if ratings.repeated_pairs else ()
    colours = ("as red", "low", "high", "as blue", "low", "high") if by_colour else ()
    return Sheet(
        title="Ratings: Elo with 95 % interval",
        head=(
            *(("group",) if several else ()),
            "bot",
            "rating",
            "low",
            "high",
            "LOS %",
            "first %",
            "ranks",
            *colours,
            *repeats,
        ),
        rows=tuple(
            (
                *((one.group,) if several else ()),
                one.bot,
                *estimate_cells(one.rating),
                percent(ratings.superiority.get(one.bot, {}).get(next_bot)),
                percent(one.first),
                None if one.ranks is None else "-".join(map(str, dict.fromkeys(one.ranks))),
                *((*estimate_cells(one.as_red), *estimate_cells(one.as_blue)) if by_colour else ()),
                *(one.repeated_pairs for _ in repeats),
            )
            for one, next_bot in zip(ratings.bots, [*following, ""], strict=True)
        ),
        objects=tuple({"bot": one.bot, **_rating_object(one)} for one in ratings.bots),
        notes=tuple(_notes(ratings)),
    )


def estimate_cells(estimate: Estimate | None) -> tuple[Cell, ...]:
    """Make the cells of an estimate in Elo and its interval."""
    return _NONE if estimate is None else (round(estimate.elo), round(estimate.low), round(estimate.high))


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
        yield f"{count_pairs_of_games(repeated)} {verb} not count: repeated games are no evidence."


def count_pairs_of_games(count: int) -> str:
    """Write a number of pairs of games."""
    return f"{count} pair{'s' * (count != 1)} of games"


def describe_red_advantage(advantage: Estimate) -> str:
    """Describe the advantage of red in a sentence."""
    elo, low, high = estimate_cells(advantage)
    return f"Having red is worth {elo} Elo (95 %: {low} to {high})."


def _rating_object(one: Rating) -> dict[str, object]:
    estimates = {"rating": one.rating, "as_red": one.as_red, "as_blue": one.as_blue}
    return {
        **{name: estimate_object(estimate) for name, estimate in estimates.items()},
        "group": one.group,
        "first": None if one.first is None else round(one.first, 4),
        "ranks": one.ranks,
        "repeated_pairs": one.repeated_pairs,
    }


def estimate_object(estimate: Estimate | None) -> dict[str, float] | None:
    """Return an estimate in Elo and its interval as an object for programs."""
    return None if estimate is None else {name: round(value, 1) + 0.0 for name, value in asdict(estimate).items()}


def with_ratings(standings: Sheet, ratings: Ratings) -> Sheet:
    """Add the ratings to the sheet of the standings."""
    rating_of = {one.bot: one for one in ratings.bots}
    place = standings.head.index("bot")
    bots = [str(row[place]) for row in standings.rows]
    return replace(
        standings,
        head=(*standings.head, "rating", "rating low", "rating high"),
        rows=tuple(
            (*row, *estimate_cells(rating_of[bot].rating)) for row, bot in zip(standings.rows, bots, strict=True)
        ),
        objects=tuple(
            {**line, **_rating_object(rating_of[bot])} for line, bot in zip(standings.objects, bots, strict=True)
        ),
    )


def superiority_sheet(ratings: Ratings) -> Sheet:
    """Make the sheet of the likelihood in percent that a bot (row) is stronger than another (column)."""
    bots = [one.bot for one in ratings.bots if one.rating]
    return Sheet(
        title="Likelihood of superiority in %",
        head=("", "bot", *range(1, len(bots) + 1)),
        rows=tuple(
            (row, bot, *(percent(ratings.superiority[bot].get(other)) for other in bots))
            for row, bot in enumerate(bots, start=1)
        ),
        objects=tuple(
            {"bot": bot, "opponent": other, "los": round(ratings.superiority[bot][other], 4)}
            for bot, other in permutations(bots, 2)
            if other in ratings.superiority[bot]
        ),
        notes=tuple(_describe_repeats(ratings)),
    )
