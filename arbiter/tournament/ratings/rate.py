"""Rate bots by all their games together."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
from msgspec import Struct

from arbiter.games.chance import derive_seed
from arbiter.tournament.ratings.bootstrap import OUTCOMES, PairResults, count_with_prior, draw_samples
from arbiter.tournament.ratings.bradley_terry import Floats, Numbers, Scores, Strengths, fit, fit_performance
from arbiter.tournament.ratings.pairs import Pair, find_distinct, pair_games
from arbiter.tournament.ratings.values import Anchor, Estimate, Rating, Ratings
from arbiter.tournament.standings.stored_game import StoredGame
from protocol.words import BLUE, RED, SEATS, Seat

ELO: Final = 400 / np.log(10)  # Elo in a natural unit: 400 are odds of ten to one
DRAWS: Final = 1000
_TAILS: Final = (0.025, 0.975)


class _RatedBots(Struct, frozen=True):
    """The bots that have games which count, group by group."""

    names: tuple[str, ...]
    groups: Numbers
    """The number of each bot's group."""
    results: PairResults
    has_both_colours: bool
    """True if two bots have met with both colours."""


class _EloSamples(Struct, frozen=True):
    """Fitted numbers on the Elo scale."""

    bots: Floats
    """samples x bots"""
    by_colour: dict[Seat, Floats]
    """By the games with one colour: samples x bots."""
    advantage: Floats
    """Red's advantage (samples)."""


def rate(
    bots: Iterable[str], games: Iterable[StoredGame], seed: int, anchor: Anchor | None = None, draws: int = DRAWS
) -> Ratings:
    """Rate bots by one fit to all their games. Each group has mean 0, or the anchor has its rating.

    Identical pairs of games count once.
    The same games and seed give the same numbers, whatever the order of the games.
    """
    names = set(bots)
    pairs = [pair for pair in pair_games(games) if pair.one in names and pair.two in names]
    distinct = find_distinct(pairs)
    rated = _collect(distinct)
    unrated = tuple(Rating(bot=bot) for bot in sorted(names.difference(rated.names)))
    if not rated.names:
        return Ratings(bots=unrated, superiority={}, red_advantage=None, anchor=anchor)
    scores = count_with_prior(rated.results)
    likeliest = fit(scores, rated.groups, with_advantage=rated.has_both_colours)
    best = _to_elo(scores, likeliest, rated, anchor)
    chance = np.random.default_rng(derive_seed(seed, "ratings"))
    free_parameters = len(rated.names) - 1 - int(rated.groups[-1])
    blocks = [
        _to_elo(some, fit(some, rated.groups, with_advantage=rated.has_both_colours, near=likeliest), rated, anchor)
        for some in draw_samples(rated.results, free_parameters, chance, draws)
    ]
    samples = _EloSamples(
        np.concatenate([block.bots for block in blocks]),
        {seat: np.concatenate([block.by_colour[seat] for block in blocks]) for seat in SEATS},
        np.concatenate([block.advantage for block in blocks]),
    )
    repeats = _count_by_bot(pairs)
    repeats.subtract(_count_by_bot(distinct))
    ratings = [_make_rating(rated, number, best, samples, repeats[bot]) for number, bot in enumerate(rated.names)]
    ratings.sort(key=lambda one: (one.group or 0, -(one.rating.elo if one.rating else 0.0), one.bot))
    return Ratings(
        bots=(*ratings, *unrated),
        superiority=_compare(rated, samples.bots),
        red_advantage=_estimate(best.advantage, samples.advantage) if rated.has_both_colours else None,
        anchor=anchor,
    )


def _collect(pairs: Sequence[Pair]) -> _RatedBots:
    """Assign numbers to the bots, and count their pairs of games by pairing and outcome."""
    seen: dict[tuple[str, str], Counter[tuple[float | None, float | None]]] = {}
    for pair in pairs:
        seen.setdefault((pair.one, pair.two), Counter())[pair.as_red, pair.as_blue] += 1
    joined: list[set[str]] = []
    for pairing in seen:
        group = set(pairing).union(*(other for other in joined if other & set(pairing)))
        joined = [other for other in joined if not other & group] + [group]
    groups = sorted((sorted(group) for group in joined), key=lambda group: (-len(group), group))
    names = tuple(bot for group in groups for bot in group)
    number = {bot: place for place, bot in enumerate(names)}
    results = PairResults(
        len(names),
        np.array([number[one] for one, _ in seen], np.intp),
        np.array([number[two] for _, two in seen], np.intp),
        np.array([[float(outcomes[outcome]) for outcome in OUTCOMES] for outcomes in seen.values()]),
    )
    return _RatedBots(
        names=names,
        groups=np.array([place for place, group in enumerate(groups) for _ in group], np.intp),
        results=results,
        has_both_colours=any(None not in outcome for outcomes in seen.values() for outcome in outcomes),
    )


def _count_by_bot(pairs: Iterable[Pair]) -> Counter[str]:
    """Count each bot's pairs with a game that counts."""
    return Counter(bot for pair in pairs if pair.counts for bot in (pair.one, pair.two))


def _to_elo(scores: Scores, strengths: Strengths, rated: _RatedBots, anchor: Anchor | None) -> _EloSamples:
    """Convert strengths to Elo, and shift the anchor's group so that the anchor has its rating."""
    by_colour = {seat: ELO * fit_performance(scores, strengths.bots, seat) for seat in SEATS}
    bots = ELO * strengths.bots
    shift = 0.0
    if anchor is not None and anchor.bot in rated.names:
        number = rated.names.index(anchor.bot)
        shift = (anchor.elo - bots[:, [number]]) * (rated.groups == rated.groups[number])
    return _EloSamples(bots + shift, {seat: own + shift for seat, own in by_colour.items()}, ELO * strengths.advantage)


def _make_rating(rated: _RatedBots, number: int, best: _EloSamples, samples: _EloSamples, repeats: int) -> Rating:
    colours = {
        seat: _estimate(best.by_colour[seat][:, number], samples.by_colour[seat][:, number])
        if rated.results.has_had(number, seat)
        else None
        for seat in SEATS
    }
    return Rating(
        bot=rated.names[number],
        group=int(rated.groups[number]) + 1,
        rating=_estimate(best.bots[:, number], samples.bots[:, number]),
        as_red=colours[RED],
        as_blue=colours[BLUE],
        repeated_pairs=repeats,
    )


def _estimate(best: Floats, samples: Floats) -> Estimate:
    elo = float(best[0])
    low, high = np.quantile(samples, _TAILS)
    return Estimate(elo, min(elo, float(low)), max(elo, float(high)))


def _compare(rated: _RatedBots, samples: Floats) -> dict[str, dict[str, float]]:
    """Return for each two bots of a group the share of samples in which the one is stronger, never 0 and never 1."""
    return {
        bot: {
            other: float((np.sum(samples[:, one] > samples[:, two]) + 0.5) / (len(samples) + 1))
            for two, other in enumerate(rated.names)
            if two != one and rated.groups[two] == rated.groups[one]
        }
        for one, bot in enumerate(rated.names)
    }
