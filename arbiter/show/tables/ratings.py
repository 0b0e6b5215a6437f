"""Ratings as sheets: with their intervals, by colour, and who is likely to be the stronger."""

from collections.abc import Iterator
from itertools import permutations
from typing import Final

from msgspec.structs import asdict, replace

from arbiter.show.tables.sheet import Cell, Sheet
from arbiter.show.text import number
from arbiter.tournament.ratings.values import Estimate, Rating, Ratings

_NONE: Final = (None, None, None)


def ratings_sheet(ratings: Ratings, *, by_colour: bool = False) -> Sheet:
    """Make the sheet of ratings with 95 % intervals; `LOS` is how likely a bot is stronger than the next."""
    several = len(ratings.groups) > 1
    colours = ("as red", "low", "high", "as blue", "low", "high") if by_colour else ()
    return Sheet(
        title="Ratings: Elo with 95 % interval",
        head=(*(("group",) if several else ()), "bot", "rating", "low", "high", "LOS %", *colours),
        rows=tuple(
            (
                *((one.group,) if several else ()),
                one.bot,
                *estimate_cells(one.rating),
                percent(ratings.superiority.get(one.bot, {}).get(following)),
                *((*estimate_cells(one.as_red), *estimate_cells(one.as_blue)) if by_colour else ()),
            )
            for one, following in _followed(ratings)
        ),
        objects=tuple({"bot": one.bot, **_rating_object(one)} for one in ratings.bots),
        notes=tuple(_notes(ratings)),
    )


def _followed(ratings: Ratings) -> Iterator[tuple[Rating, str]]:
    following = [one.bot for one in ratings.bots[1:]]
    return zip(ratings.bots, [*following, ""], strict=True)


def estimate_cells(estimate: Estimate | None) -> tuple[Cell, ...]:
    """Make the cells of a number on the Elo scale and its interval."""
    return _NONE if estimate is None else (round(estimate.elo), round(estimate.low), round(estimate.high))


def percent(likelihood: float | None) -> float | None:
    """Write a likelihood in per cent; one that is found by chance is never quite 0 or 100."""
    return None if likelihood is None else min(99.9, max(0.1, round(100 * likelihood, 1)))


def _notes(ratings: Ratings) -> Iterator[str]:
    yield _scale(ratings)
    if ratings.red_advantage:
        yield told_advantage(ratings.red_advantage)
    if len(ratings.groups) > 1:
        yield "Ratings of different groups cannot be compared: no games join them."
    if len(ratings.bots) > sum(map(len, ratings.groups)):
        yield "Without a rating: no game tells anything of them yet."


def told_advantage(advantage: Estimate) -> str:
    """Tell what having red is worth."""
    elo, low, high = estimate_cells(advantage)
    return f"Having red is worth {elo} Elo (95 %: {low} to {high})."


def _scale(ratings: Ratings) -> str:
    anchor = ratings.anchor
    if anchor is None:
        return "The mean is 0."
    if not any(anchor.bot in group for group in ratings.groups):
        return f"The mean is 0: {anchor.bot}, the anchor, has not played."
    return f"{anchor.bot} is the anchor at {number(anchor.elo)}."


def _rating_object(one: Rating) -> dict[str, object]:
    estimates = {"rating": one.rating, "as_red": one.as_red, "as_blue": one.as_blue}
    return {**{name: estimate_object(estimate) for name, estimate in estimates.items()}, "group": one.group}


def estimate_object(estimate: Estimate | None) -> dict[str, float] | None:
    """Make what a program is given of a number on the Elo scale and its interval."""
    return None if estimate is None else {name: round(value, 1) + 0.0 for name, value in asdict(estimate).items()}


def with_ratings(standings: Sheet, ratings: Ratings) -> Sheet:
    """Add the ratings to the sheet of the standings, for spreadsheets and programs."""
    of = {one.bot: one for one in ratings.bots}
    place = standings.head.index("bot")
    bots = [str(row[place]) for row in standings.rows]
    return replace(
        standings,
        head=(*standings.head, "rating", "rating low", "rating high"),
        rows=tuple((*row, *estimate_cells(of[bot].rating)) for row, bot in zip(standings.rows, bots, strict=True)),
        objects=tuple({**line, **_rating_object(of[bot])} for line, bot in zip(standings.objects, bots, strict=True)),
    )


def superiority_sheet(ratings: Ratings) -> Sheet:
    """Make the sheet of how likely each bot is stronger than each other, in per cent."""
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
    )
