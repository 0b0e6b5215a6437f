"""Nash averaging: examples of the paper, the conditions of an equilibrium, and its entropy."""

import numpy as np
import pytest

from arbiter.tournament.ratings.nash import average, rank_by_alpha

CIRCLE = np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]], float)  # rock, paper, scissors


def with_copy(differences, bot):
    """Add a copy of a bot."""
    order = [*range(len(differences)), bot]
    return differences[np.ix_(order, order)]


def draw_differences(bots, seed, transitive=0.0):
    chance = np.random.default_rng(seed)
    strengths, noise = chance.normal(size=bots) * transitive, chance.normal(size=(bots, bots))
    return strengths[:, None] - strengths[None, :] + noise - noise.T


def test_bots_in_a_circle_have_equal_weights():
    assert average(CIRCLE) == pytest.approx([1 / 3] * 3)
    assert average(100 * CIRCLE) == pytest.approx([1 / 3] * 3)


def test_a_bot_that_beats_all_others_has_all_the_weight():
    assert average(np.array([[0, 2, 1], [-2, 0, 1], [-1, -1, 0.0]])) == pytest.approx([1, 0, 0], abs=1e-6)


def test_equal_bots_have_equal_weights():
    assert average(np.zeros((4, 4))).tolist() == [0.25] * 4
    assert average(np.zeros((1, 1))).tolist() == [1]


def test_copies_share_a_weight():
    assert average(with_copy(CIRCLE, 2)) == pytest.approx([1 / 3, 1 / 3, 1 / 6, 1 / 6], abs=1e-5)


def test_a_circle_with_unequal_steps():
    """Each weight is the step that does not touch the bot: 1, 2 and 3 of 6."""
    differences = np.array([[0, 3, -2], [-3, 0, 1], [2, -1, 0]], float)
    assert average(differences) == pytest.approx([1 / 6, 2 / 6, 3 / 6], abs=1e-5)


@pytest.mark.parametrize(("bots", "transitive"), [(4, 0), (11, 0), (30, 0), (30, 2), (60, 0.5)])
def test_no_bot_beats_the_mix(bots, transitive):
    for seed in range(5):
        differences = draw_differences(bots, seed, transitive)
        weights = average(differences)
        assert weights.sum() == pytest.approx(1)
        assert weights.min() >= 0
        assert (differences @ weights).max() < 1e-4
        assert np.abs((differences @ weights)[weights > 1e-3]).max() < 1e-4, "the bots of the mix are equal"


def test_of_several_equilibria_the_most_even_is_found():
    """Two circles that are equal to each other: every mix of their equilibria is one."""
    differences = np.zeros((6, 6))
    differences[:3, :3] = differences[3:, 3:] = CIRCLE
    assert average(differences) == pytest.approx([1 / 6] * 6, abs=1e-5)


def test_weights_follow_the_order_of_the_bots():
    differences = draw_differences(9, 3)
    order = np.random.default_rng(1).permutation(9)
    assert average(differences[np.ix_(order, order)]) == pytest.approx(average(differences)[order], abs=1e-6)


# --- alpha-rank -----------------------------------------------------------------------------------

BIASED = np.array([[0, -0.5, 1], [0.5, 0, -0.1], [-1, 0.1, 0]])  # rock, paper, scissors, of the paper

# By `open_spiel.python.egt.alpharank.compute` of OpenSpiel 2.0.2: payoffs, alpha, population, shares.
PUBLISHED = [
    (CIRCLE, 100, 50, [1 / 3, 1 / 3, 1 / 3]),
    (BIASED, 100, 50, [0.333333, 0.333333, 0.333333]),
    (BIASED, 1, 50, [0.191639, 0.668261, 0.1401]),
    (BIASED, 0.1, 20, [0.316745, 0.535081, 0.148174]),
]


@pytest.mark.parametrize(("payoffs", "alpha", "population", "shares"), PUBLISHED)
def test_shares_of_another_program(payoffs, alpha, population, shares):
    assert rank_by_alpha(payoffs, alpha, population) == pytest.approx(shares, abs=2e-5)


def follow(payoffs, alpha, population):
    """Compute the shares as the paper defines them: fixation step by step, and the powers of the chain."""
    bots = len(payoffs)
    chain = np.zeros((bots, bots))
    for now in range(bots):
        for new in range(bots):
            if new != now:
                odds = np.exp(-alpha * (payoffs[new, now] - payoffs[now, new]))
                chain[now, new] = 1 / sum(odds**members for members in range(population)) / (bots - 1)
    chain += np.diag(1 - chain.sum(1))
    return np.linalg.matrix_power(chain, 2**20)[0]


@pytest.mark.parametrize("seed", range(4))
def test_shares_step_by_step(seed):
    payoffs = np.tanh(draw_differences(5, seed))
    assert rank_by_alpha(payoffs, 0.3, 10) == pytest.approx(follow(payoffs, 0.3, 10), abs=1e-6)


def test_a_bot_that_beats_all_others_is_played_all_the_time():
    assert rank_by_alpha(np.array([[0, 0.2, 0.1], [-0.2, 0, 0.1], [-0.1, -0.1, 0]])) == pytest.approx(
        [1, 0, 0], abs=1e-3
    )
    assert rank_by_alpha(np.zeros((1, 1))).tolist() == [1]


def test_many_tables_at_once():
    tables = np.stack([draw_differences(6, seed) for seed in range(5)] + [np.zeros((6, 6))])
    for find in (average, rank_by_alpha):
        together = find(np.tanh(tables))
        assert together.shape == (6, 6)
        for table, found in zip(np.tanh(tables), together, strict=True):
            assert found == pytest.approx(find(table), abs=1e-6)
