"""Nash averaging: examples of the paper, the conditions of an equilibrium, and its entropy."""

import numpy as np
import pytest

from arbiter.tournament.ratings.comparisons import average

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
