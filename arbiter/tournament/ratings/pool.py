"""The fit of a pool of bots to all their games together, and the samples of the bootstrap."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import asdict, replace

from arbiter.arrays import Floats, Generator, Numbers, np
from arbiter.games.chance import derive_seed
from arbiter.tournament.ratings.bootstrap import (
    OUTCOMES,
    PairResults,
    Variation,
    count_drawn_games,
    count_pairs_of_games,
    count_scores,
    count_with_prior,
    draw_samples,
    draw_variation,
)
from arbiter.tournament.ratings.bradley_terry import (
    Penalty,
    Scores,
    Strengths,
    expect_scores,
    find_information,
    fit,
    fit_performance,
)
from arbiter.tournament.ratings.pairs import Pair
from arbiter.tournament.ratings.prior import (
    count_free_strengths,
    draw_penalty,
    find_shifts,
    make_first_penalty,
    make_likeliest_penalty,
    weigh_spreads,
)
from arbiter.tournament.ratings.values import Anchor, Estimate, Prior, Spread
from protocol.words import BLUE, RED, SEATS, Seat

ELO: Final = float(400 / np.log(10))  # Elo in a natural unit: 400 are odds of ten to one
_TWO_BOTS: Final = 2
_MOST_DRAWS: Final = 4000
_LEAST_DRAWS: Final = 500  # many games of many bots make intervals that need fewer samples
_DRAWN_PAIRINGS: Final = 200_000  # in all draws, to limit the time


class EloSamples(Struct, frozen=True):
    """Fitted numbers on the Elo scale."""

    bots: Floats
    """samples x bots"""
    by_colour: dict[Seat, Floats]
    """By the games with one colour: samples x bots."""
    advantage: Floats
    """Red's advantage (samples)."""


class Collected(Struct, frozen=True):
    """The bots that have games which count, group by group, and their pairs of games by pairing and outcome."""

    names: tuple[str, ...]
    groups: Numbers
    """The number of each bot's group, from 0."""
    results: PairResults
    has_both_colours: bool
    """True if two bots have met with both colours."""

    @property
    def has_groups_of_two(self) -> bool:
        """True if no group has more than two bots."""
        return bool(np.bincount(self.groups).max() <= _TWO_BOTS)

    @property
    def fits_advantage(self) -> bool:
        """True if red's advantage is a parameter of the fit.

        In a match of two bots, the difference is that of the score in pairs of games, as in a sequential test, unless
        most distinct games had the same colours.
        """
        is_even = abs(self.results.count_surplus()) <= 1
        return self.has_both_colours and (len(self.names) > _TWO_BOTS or not is_even)


class PoolFit(Collected, frozen=True):
    """A pool of bots and their strengths."""

    likeliest: Strengths
    """In natural units, as one sample."""
    best: EloSamples
    """The most likely numbers, as one sample."""
    samples: EloSamples
    """The samples of the bootstrap."""
    covariance: Floats
    """Of the ratings, in Elo, if games were independent and never drawn: bots x bots."""
    variance: float
    """Variance of a game, relative to one that is never drawn."""
    correlation: float
    """Of a bot's scores in the two games of a pair."""
    seed: int
    """Of the samples."""
    penalty: Penalty | None
    """Of the most likely numbers, if the prior is normal."""
    prior: Prior

    def is_connected(self, one: int, two: int) -> bool:
        """Return True if games connect two bots, directly or through other bots."""
        return bool(self.groups[one] == self.groups[two])


def fit_pool(
    pairs: Sequence[Pair],
    seed: int,
    anchor: Anchor | None,
    draws: int | None = None,
    spread: Spread | None = None,
    *,
    seats: Sequence[Seat] = SEATS,
) -> PoolFit | None:
    """Fit strengths to distinct pairs of games; None if there are none.

    `spread` is that of a normal prior, in Elo.  Default: drawn games if each group has two bots, or estimated.
    `seats` are the colours with which bots are rated by themselves too; without them, the samples of two bots have the
    advantage of the fit.
    """
    if not pairs:
        return None
    pool = _collect(pairs)
    if spread is None and not pool.has_groups_of_two:
        spread = "estimated"
    if draws is None:
        draws = min(_MOST_DRAWS, max(_LEAST_DRAWS, _DRAWN_PAIRINGS // len(pool.results.one)))
    chance = np.random.default_rng(derive_seed(seed, "ratings"))
    shift = np.zeros((draws, 1))
    if spread is None:
        prior = Prior(drawn_games=count_drawn_games(pool.results))
        penalty = penalties = None
        scores = count_with_prior(pool.results)
        likeliest = fit_strengths(scores, pool, None)
        free = len(pool.names) - 1 - int(pool.groups[-1])
        variation = draw_variation(pool.results, likeliest, free, chance, draws)
    else:
        pool = replace(pool, results=replace(pool.results, has_drawn_games=False))
        scores = count_scores(pool.results)
        given = None if spread == "estimated" else spread / ELO
        variation = _draw_variation_with_prior(pool, given, chance, draws)
        spreads = weigh_spreads(pool.results, pool.groups, variation, given, with_advantage=pool.fits_advantage)
        median, low, high = spreads.find_quantiles()
        prior = Prior(spread=Estimate(ELO * median, ELO * low, ELO * high))
        penalty = make_likeliest_penalty(pool.results, variation, np.array([median]))
        likeliest = fit_strengths(scores, pool, None, penalty)
        drawn = chance.choice(spreads.spreads, draws, p=spreads.likelihood)
        penalties = draw_penalty(pool.results, pool.groups, drawn, variation, chance)
        shift = find_shifts(scores, pool.groups, penalties, likeliest, with_advantage=pool.fits_advantage)
    by_colour = {seat: fit_performance(scores, likeliest, seat, likeliest.bots, penalty) for seat in seats}

    # Samples are centred on what the fit predicts for a colour; a bot may be better or worse with one.
    near_colour = {seat: likeliest.bots + side * likeliest.advantage for seat, side in ((RED, 1), (BLUE, -1))}
    surplus = {seat: by_colour[seat] - near_colour[seat] for seat in seats}

    def fit_samples() -> Iterator[EloSamples]:
        near, own, first = likeliest, None, 0
        if penalties is not None and not pool.fits_advantage:
            # Samples of a match keep red's most likely advantage, so that they are centred; a penalty needs 0.
            near = Strengths(likeliest.bots, np.zeros_like(likeliest.advantage))
        centre = np.append(near.bots, near.advantage)
        for some in draw_samples(pool.results, likeliest, variation, chance):
            block = slice(first, first := first + len(some.red_games))
            if penalties is not None:
                own = Penalty(penalties.weight[block], penalties.centre[block] + centre)
            found = (
                fit_strengths(some, pool, near, own)
                if seats
                else fit(some, pool.groups, with_advantage=pool.fits_advantage, near=near, penalty=own)
            )
            change = found.bots - likeliest.bots
            colours = {
                seat: fit_performance(some, found, seat, near_colour[seat] + change, own) + surplus[seat] + shift[block]
                for seat in seats
            }
            shifted = Strengths(found.bots + shift[block], found.advantage)
            yield _to_elo(shifted, colours, pool, anchor)

    blocks = list(fit_samples())
    information = find_information(scores, likeliest, pool.groups, penalty, with_advantage=pool.fits_advantage)
    covariance = np.asarray(np.linalg.inv(information[0])[:-1, :-1], float)
    return PoolFit(
        **asdict(pool),
        likeliest=likeliest,
        best=_to_elo(likeliest, by_colour, pool, anchor),
        samples=EloSamples(
            np.concatenate([block.bots for block in blocks]),
            {seat: np.concatenate([block.by_colour[seat] for block in blocks]) for seat in seats},
            np.concatenate([block.advantage for block in blocks]),
        ),
        covariance=ELO**2 * covariance,
        variance=float(variation.variance.mean()),
        correlation=float(variation.correlation.mean()),
        seed=seed,
        penalty=penalty,
        prior=prior,
    )


def _draw_variation_with_prior(pool: Collected, spread: float | None, chance: Generator, draws: int) -> Variation:
    """Draw the variation of scores around a fit with a normal prior, as its spread is not estimated yet."""
    scores, penalty = count_scores(pool.results), make_first_penalty(pool.results, spread)
    found = fit_strengths(scores, pool, None, penalty)
    free_strengths = count_free_strengths(scores, found, pool.groups, penalty)
    return draw_variation(pool.results, found, free_strengths, chance, draws)


def _collect(pairs: Sequence[Pair]) -> Collected:
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
    return Collected(
        names=names,
        groups=np.array([place for place, group in enumerate(groups) for _ in group], np.intp),
        results=results,
        has_both_colours=any(None not in outcome for outcomes in seen.values() for outcome in outcomes),
    )


def fit_strengths(scores: Scores, pool: Collected, near: Strengths | None, penalty: Penalty | None = None) -> Strengths:
    """Fit strengths and red's advantage, together or, for two bots, each by itself."""
    found = fit(scores, pool.groups, with_advantage=pool.fits_advantage, near=near, penalty=penalty)
    if not pool.has_both_colours or pool.fits_advantage:
        return found
    advantage = fit(scores, pool.groups, with_advantage=True, near=near, penalty=penalty).advantage
    return Strengths(found.bots, advantage)


def _to_elo(strengths: Strengths, by_colour: dict[Seat, Floats], pool: Collected, anchor: Anchor | None) -> EloSamples:
    """Convert strengths to Elo, and shift the anchor's group so that the anchor has its rating."""
    bots = ELO * strengths.bots
    shift = 0.0
    if anchor is not None and anchor.bot in pool.names:
        number = pool.names.index(anchor.bot)
        shift = (anchor.elo - bots[:, [number]]) * (pool.groups == pool.groups[number])
    colours = {seat: ELO * own + shift for seat, own in by_colour.items()}
    return EloSamples(bots + shift, colours, ELO * strengths.advantage)


class Meetings:
    """The games between bots, from the view of the bot in the row."""

    def __init__(self, pool: PoolFit) -> None:
        bots = len(pool.names)
        results = pool.results
        counted = count_scores(results)
        as_red, as_blue = (one[0] for one in expect_scores(results.one, results.two, pool.likeliest))
        red, blue = counted.red_games[0], counted.blue_games[0]
        red_variance, blue_variance = as_red * (1 - as_red), as_blue * (1 - as_blue)
        together = 2 * pool.correlation * count_pairs_of_games(results) * np.sqrt(red_variance * blue_variance)
        information = red * red_variance + blue * blue_variance
        score = counted.red_score[0] + counted.blue_score[0]
        expected = red * as_red + blue * as_blue
        self.games = _spread(pool, red + blue, red + blue, bots)
        self.score = _spread(pool, score, red + blue - score, bots)
        self.expected = _spread(pool, expected, red + blue - expected, bots)
        self.information = _spread(pool, information, information, bots)
        """Change of the expected score by a difference in strength, in natural units."""
        variance = np.maximum(pool.variance * (information + together), 0.0)
        self.variance = _spread(pool, variance, variance, bots)
        """Of the score, with the draws and the correlation of the pool."""


def _spread(pool: PoolFit, own: Floats, others: Floats, bots: int) -> Floats:
    """Make a table of values of pairings, from the view of the first bot and of the second."""
    table = np.zeros((bots, bots))
    table[pool.results.one, pool.results.two] = own
    table[pool.results.two, pool.results.one] = others
    return table
