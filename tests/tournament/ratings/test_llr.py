"""Log-likelihood ratios in normalized Elo; `test_sprt.py` tests those in logistic Elo."""

from math import log, sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbiter.tournament.ratings.sprt import NORMALIZED_ELO, _fit_deviation, llr, to_elo

# From the tests of fastchess (app/tests/sprt_test.cpp, "normalized pentanomial"), which give two decimals.
PUBLISHED = [
    ((365, 16618, 36029 + 200, 16974, 390), (0, 2), 2.25),
    ((127, 4883, 10311 + 401, 5150, 104), (-1.75, 0.25), 3.01),
]
counts = st.tuples(*[st.integers(0, 500)] * 5).filter(any)
elos = st.floats(-600, 600)


def approximate(seen, elo0, elo1):
    """Compute the ratio by the formula for many games in section 4.2 of "Comments on Normalized Elo"."""
    total = sum(seen)
    mean = sum(count * score / 4 for score, count in enumerate(seen)) / total
    deviation = sqrt(2 * sum(count * (score / 4 - mean) ** 2 for score, count in enumerate(seen)) / total)
    t, t0, t1 = (mean - 0.5) / deviation, elo0 / NORMALIZED_ELO, elo1 / NORMALIZED_ELO
    return total * log((1 + (t - t0) ** 2) / (1 + (t - t1) ** 2))


@pytest.mark.parametrize(("seen", "elo", "expected"), PUBLISHED)
def test_published_ratios(seen, elo, expected):
    assert llr(seen, *elo, "normalized") == pytest.approx(expected, rel=0.01)


def test_the_ratio_of_a_match_with_all_games_won():
    """Only pairs won and lost matter: a share w of pairs won has (w - 1/2) / sqrt(w (1 - w)) deviations."""
    t = 5 * sqrt(2) / NORMALIZED_ELO
    won = (1 + t / sqrt(1 + t * t)) / 2
    assert (won - 0.5) / sqrt(won * (1 - won)) == pytest.approx(t)
    assert llr((0, 0, 0, 0, 104), 0, 5, "normalized") == pytest.approx(104 * log(won / 0.5), rel=1e-3)


@pytest.mark.parametrize("seen", [(100, 200, 400, 250, 120), (900, 700, 2000, 400, 500)])
def test_ratios_of_many_games_are_near_their_approximation(seen):
    assert llr(seen, 0, 5, "normalized") == pytest.approx(approximate(seen, 0, 5), rel=0.01)


@given(counts, elos)
@settings(max_examples=60)
def test_the_likeliest_distribution_has_the_difference(seen, elo):
    shares = [max(count, 1e-3) for count in seen]
    found = _fit_deviation([share / sum(shares) for share in shares], elo)
    assert sum(found) == pytest.approx(1, abs=1e-6)
    assert min(found) > 0
    assert to_elo(found, "normalized") == pytest.approx(elo, abs=0.05)


@given(counts, elos)
@settings(max_examples=60)
def test_no_other_distribution_with_the_difference_is_likelier(seen, elo):
    """Distributions near the one that is found, changed along the surface of equal differences, are less likely."""
    shares = [max(count, 1) / sum(max(one, 1) for one in seen) for count in seen]
    found = _fit_deviation(shares, elo)
    best = sum(share * log(one) for share, one in zip(shares, found, strict=True))
    for size in (1e-3, -1e-3):
        for start in (0, 1, 2):
            moved = [one * (1 + size * (place == start)) for place, one in enumerate(found)]
            moved = [one / sum(moved) for one in moved]
            low, high = -1.0, 1.0
            for _ in range(60):  # tilt back to the difference
                middle = (low + high) / 2
                tilted = [one * 2.718281828 ** (middle * place) for place, one in enumerate(moved)]
                tilted = [one / sum(tilted) for one in tilted]
                low, high = (middle, high) if to_elo(tilted, "normalized") < elo else (low, middle)
            assert sum(share * log(one) for share, one in zip(shares, tilted, strict=True)) <= best + 1e-6


def test_normalized_elo_of_a_match():
    shares = [0.05, 0.15, 0.3, 0.35, 0.15]
    mean = sum(share * score / 4 for score, share in enumerate(shares))
    variance = sum(share * (score / 4 - mean) ** 2 for score, share in enumerate(shares))
    assert (mean, variance) == pytest.approx((0.6, 0.07125))
    assert to_elo(shares, "normalized") == pytest.approx(0.1 / sqrt(2 * 0.07125) * 800 / log(10))
    assert to_elo(shares) == pytest.approx(400 * log(0.6 / 0.4) / log(10))
