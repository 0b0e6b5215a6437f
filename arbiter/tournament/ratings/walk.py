"""A sequential test as a walk on a lattice, and the distributions of pair scores that it takes place with.

After each pair of games the score of the first bot rises by 0, 1, 2, 3 or 4 quarters of the pair, until the walk leaves
the bounds.  Its probabilities are added up step by step, without simulation.  The log-likelihood ratio depends on all
counts; here it is that of the likeliest counts with the same score.
"""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from arbiter.arrays import Floats, Numbers, np
from arbiter.tournament.ratings.pairs import PAIR_SCORES, Pentanomial
from arbiter.tournament.ratings.sprt import Sprt, llr, to_elo

STEPS: Final = np.arange(len(PAIR_SCORES))  # of the walk, in quarters of a pair
QUARTERS: Final = len(PAIR_SCORES) - 1
WIDEST_TILT: Final = 8.0  # up to mean scores so close to 0 and 1 that nothing else matters
_GRID: Final = 81  # distributions at which the log-likelihood ratio is computed, most of them near the base
_MANY: Final = 1e6  # pairs, so that counts that are 0 do not matter
_LEAST_SHARE: Final = 1e-9  # of a pair score there; with less, rounding errors hide the likeliest distributions
_HALVINGS: Final = 60
NOTHING: Final = 1e-12  # probability of tests that are still undecided

Ratios = tuple[Floats, Floats]  # mean scores of a pair, and the log-likelihood ratio of one pair at each


class Walk(Struct, frozen=True):
    """The length of a test, for several distributions of pair scores."""

    expected: Floats
    """Expected number of pairs (distributions)."""
    undecided: Floats
    """Probability that the test has no result after the last pair."""
    ended: Floats
    """Probability of a result after each pair: pairs x distributions."""


def follow(sprt: Sprt, table: Ratios, shares: Floats, pairs: int) -> Iterator[tuple[Numbers, Floats, Floats]]:
    """Follow the score of tests with distributions of pair scores (distributions x PAIR_SCORES).

    Yields, after each pair, the scores of tests that had no result before (in quarters), the probabilities of these
    scores (distributions x scores), and their log-likelihood ratios.
    """
    means, ratios = table
    inside = np.ones((len(shares), 1))
    first = 0
    for pair in range(1, pairs + 1):
        width = inside.shape[1]
        last = np.zeros((len(shares), width + QUARTERS))
        for quarters in range(QUARTERS + 1):
            last[:, quarters : quarters + width] += shares[:, [quarters]] * inside
        scores = first + np.arange(width + QUARTERS)
        ratio = pair * np.interp(scores / (QUARTERS * pair), means, ratios)
        yield scores, last, ratio
        is_inside = (sprt.lower < ratio) & (ratio < sprt.upper)
        kept = np.flatnonzero(is_inside)
        if not len(kept):
            return
        inside = np.where(is_inside, last, 0.0)[:, kept[0] : kept[-1] + 1]
        first += int(kept[0])


def measure_walk(sprt: Sprt, table: Ratios, shares: Floats, pairs: int) -> Walk:
    """Find the length of tests with distributions of pair scores (distributions x PAIR_SCORES)."""
    undecided = np.ones(len(shares))
    ended = np.zeros((pairs, len(shares)))
    for pair, (_, last, ratio) in enumerate(follow(sprt, table, shares, pairs)):
        is_inside = (sprt.lower < ratio) & (ratio < sprt.upper)
        ended[pair], undecided = last[:, ~is_inside].sum(1), last[:, is_inside].sum(1)
        if undecided.sum() < NOTHING:
            break
    expected = np.arange(1, pairs + 1) @ ended + pairs * undecided
    return Walk(expected, undecided, ended.cumsum(0))


def tabulate_ratios(sprt: Sprt, base: Floats) -> Ratios:
    """Return mean scores of a pair, from 0 to 1, and the log-likelihood ratio of one pair at each."""
    shares = np.maximum(tilt_shares(base, WIDEST_TILT * np.linspace(-1, 1, _GRID) ** 3), _LEAST_SHARE)
    ratios = [llr((_MANY * one).tolist(), sprt.elo0, sprt.elo1, sprt.model) / _MANY for one in shares]
    return shares @ STEPS / QUARTERS, np.array(ratios)


def smooth(counts: Pentanomial) -> Floats:
    """Return the shares of pair scores, with one more pair of decisive games, so that every mean score is possible."""
    pairs = sum(counts)
    score = sum(count * quarters for quarters, count in enumerate(counts)) / QUARTERS
    won = (score + 0.5) / (pairs + 1)
    more = np.array([(1 - won) ** 2, 0, 2 * won * (1 - won), 0, won**2])
    shares: Floats = (np.array(counts) + more) / (pairs + 1)
    return shares


def tilt_shares(base: Floats, tilts: Floats) -> Floats:
    """Tilt a distribution of pair scores so that its mean changes: tilts x PAIR_SCORES."""
    weights = base * np.exp(tilts[:, None] * (STEPS - QUARTERS / 2))
    tilted: Floats = weights / weights.sum(1, keepdims=True)
    return tilted


def find_tilt(base: Floats, elo: float, sprt: Sprt) -> float:
    """Find the tilt of a distribution of pair scores that makes a difference in Elo, on the scale of a test."""
    low, high = -WIDEST_TILT, WIDEST_TILT
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if to_elo(tilt_shares(base, np.array([middle]))[0].tolist(), sprt.model) < elo:
            low = middle
        else:
            high = middle
    return low
