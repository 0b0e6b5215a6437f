"""How strong bots are, from all their games together.  Pure: knows no file and no database."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
from msgspec import Struct

from arbiter.games.chance import derive
from arbiter.tournament.ratings.bootstrap import OUTCOMES, PairResults, expected, samples
from arbiter.tournament.ratings.bradley_terry import Floats, Numbers, Scores, Strengths, fit, performance
from arbiter.tournament.ratings.pairs import Pair, pair_games
from arbiter.tournament.ratings.values import Anchor, Estimate, Rating, Ratings
from arbiter.tournament.standings.stored_game import StoredGame
from protocol.words import RED, SEATS, Seat

ELO: Final = 400 / np.log(10)  # Elo to a natural unit: 400 are odds of ten to one
DRAWS: Final = 1000
_TAILS: Final = (0.025, 0.975)


class _Field(Struct, frozen=True):
    """The bots of which games tell something, by number: group by group, and the group of each."""

    bots: tuple[str, ...]
    groups: Numbers
    results: PairResults
    seated: bool


class _Numbers(Struct, frozen=True):
    """In Elo: ratings and ratings by the games with one colour, samples x bots; samples of red's advantage."""

    bots: Floats
    by_colour: dict[Seat, Floats]
    advantage: Floats


def rate(
    bots: Iterable[str], games: Iterable[StoredGame], seed: int, anchor: Anchor | None = None, draws: int = DRAWS
) -> Ratings:
    """Rate bots by one fit over all their games; each group's mean is 0, or the anchor stands where it is set.

    The same games and seed give the same numbers, in whatever order they come.
    """
    names = set(bots)
    field = _field([pair for pair in pair_games(games) if pair.one in names and pair.two in names])
    unrated = tuple(Rating(bot=bot) for bot in sorted(names.difference(field.bots)))
    if not field.bots:
        return Ratings(bots=unrated, superiority={}, red_advantage=None, anchor=anchor)
    likeliest = fit(expected(field.results), field.groups, seated=field.seated)
    best = _scaled(expected(field.results), likeliest, field, anchor)
    chance, spare = np.random.default_rng(derive(seed, "ratings")), len(field.bots) - 1 - int(field.groups[-1])
    drawn = _together(
        [
            _scaled(some, fit(some, field.groups, seated=field.seated, near=likeliest), field, anchor)
            for some in samples(field.results, spare, chance, draws)
        ]
    )
    rated = [_rating(field, number, best, drawn) for number in range(len(field.bots))]
    return Ratings(
        bots=(*sorted(rated, key=_place), *unrated),
        superiority=_superiority(field, drawn.bots),
        red_advantage=_estimate(best.advantage, drawn.advantage) if field.seated else None,
        anchor=anchor,
    )


def _field(met: Sequence[Pair]) -> _Field:
    seen: dict[tuple[str, str], Counter[tuple[float | None, float | None]]] = {}
    for pair in met:
        if pair.as_red is not None or pair.as_blue is not None:
            seen.setdefault((pair.one, pair.two), Counter())[pair.as_red, pair.as_blue] += 1
    groups = _groups(seen)
    bots = [bot for group in groups for bot in group]
    number = {bot: place for place, bot in enumerate(bots)}
    results = PairResults(
        len(bots),
        np.array([number[one] for one, _ in seen], np.intp),
        np.array([number[two] for _, two in seen], np.intp),
        np.array([[float(outcomes[outcome]) for outcome in OUTCOMES] for outcomes in seen.values()]),
    )
    both = any(red is not None and blue is not None for outcomes in seen.values() for red, blue in outcomes)
    of_bot = np.array([place for place, group in enumerate(groups) for _ in group], np.intp)
    return _Field(tuple(bots), of_bot, results, both)


def _groups(met: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Part bots into those whom meetings join, the largest group first."""
    groups: list[set[str]] = []
    for pairing in met:
        joined = set(pairing).union(*(group for group in groups if group & set(pairing)))
        groups = [group for group in groups if not group & joined] + [joined]
    return sorted((sorted(group) for group in groups), key=lambda group: (-len(group), group))


def _scaled(scores: Scores, strengths: Strengths, field: _Field, anchor: Anchor | None) -> _Numbers:
    """Put strengths on the scale, and the anchor's group where the anchor stands, if it has played."""
    by_colour = {seat: ELO * performance(scores, strengths.bots, seat) for seat in SEATS}
    bots, shift = ELO * strengths.bots, 0.0
    if anchor is not None and anchor.bot in field.bots:
        number = field.bots.index(anchor.bot)
        shift = (anchor.elo - bots[:, [number]]) * (field.groups == field.groups[number])
    return _Numbers(bots + shift, {seat: own + shift for seat, own in by_colour.items()}, ELO * strengths.advantage)


def _together(parts: Sequence[_Numbers]) -> _Numbers:
    return _Numbers(
        np.concatenate([part.bots for part in parts]),
        {seat: np.concatenate([part.by_colour[seat] for part in parts]) for seat in SEATS},
        np.concatenate([part.advantage for part in parts]),
    )


def _rating(field: _Field, number: int, best: _Numbers, drawn: _Numbers) -> Rating:
    colours = {
        seat: _estimate(best.by_colour[seat][:, number], drawn.by_colour[seat][:, number])
        if field.results.has_had(number, seat)
        else None
        for seat in SEATS
    }
    return Rating(
        bot=field.bots[number],
        group=int(field.groups[number]) + 1,
        rating=_estimate(best.bots[:, number], drawn.bots[:, number]),
        as_red=colours[RED],
        as_blue=colours["blue"],
    )


def _estimate(best: Floats, drawn: Floats) -> Estimate:
    elo, (low, high) = float(best[0]), np.quantile(drawn, _TAILS)
    return Estimate(elo, min(elo, float(low)), max(elo, float(high)))


def _place(rating: Rating) -> tuple[int, float, str]:
    return rating.group or 0, -(rating.rating.elo if rating.rating else 0.0), rating.bot


def _superiority(field: _Field, drawn: Floats) -> dict[str, dict[str, float]]:
    """Say for each two bots of a group in how many samples the one is stronger: never in all, never in none."""
    return {
        bot: {
            other: float((np.sum(drawn[:, one] > drawn[:, two]) + 0.5) / (len(drawn) + 1))
            for two, other in enumerate(field.bots)
            if two != one and field.groups[two] == field.groups[one]
        }
        for one, bot in enumerate(field.bots)
    }
