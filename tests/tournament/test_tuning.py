"""SPSA: parameters are read, gains are those of the formula, and a known optimum is found."""

import random

import pytest

from arbiter.errors import ConfigError
from arbiter.tournament.tuning import ALPHA, GAMMA, STABILITY, Parameter, Spsa, read_parameter, write_values

DEPTH = Parameter(name="depth", low=1, high=9, start=5, step=1.2, is_integer=True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("depth=1..9", DEPTH),
        ("depth=1..9@3", Parameter(name="depth", low=1, high=9, start=3, step=1.2, is_integer=True)),
        ("depth=1..2", Parameter(name="depth", low=1, high=2, start=1, step=1, is_integer=True)),
        ("x=-1.0..1", Parameter(name="x", low=-1, high=1, start=0, step=0.3, is_integer=False)),
        ("x=0..1@0.5/0.25", Parameter(name="x", low=0, high=1, start=0.5, step=0.25, is_integer=False)),
    ],
)
def test_a_parameter_is_read(text, expected):
    assert read_parameter(text) == expected


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("depth", "must be NAME=LOW..HIGH"),
        ("depth=1-9", "must be NAME=LOW..HIGH"),
        ("4=1..9", "must be NAME=LOW..HIGH"),
        ("depth=9..1", "9 must be less than 1"),
        ("depth=1..9@10", "the start 10 is not in the range"),
        ("depth=1..9/0", "the step 0 must be more than 0"),
        ("depth=1..9/9", "the step 9 must be more than 0 and at most the range"),
    ],
)
def test_a_wrong_parameter_is_refused(text, why):
    with pytest.raises(ConfigError) as refused:
        read_parameter(text)
    assert why in str(refused.value)


@pytest.mark.parametrize("played", [1, 10, 500, 1000])
def test_gains_and_steps_follow_the_formula(played):
    """In the notation of Spall: step c / k^gamma, gain a / (A + k)^alpha, both given by their last values."""
    total, rate, step = 1000, 0.02, 7.5
    spsa = Spsa([read_parameter(f"x=0.0..100.0/{step}")], total, seed=1, rate=rate)
    spsa.pairs = played - 1
    probe = spsa.probe(1)
    c_k = step * total**GAMMA / played**GAMMA
    a_k = rate * step**2 * (STABILITY * total + total) ** ALPHA / (STABILITY * total + played) ** ALPHA
    assert abs(probe.steps["x"]) == pytest.approx(c_k)
    assert probe.gain * probe.steps["x"] == pytest.approx(a_k / c_k**2 * probe.steps["x"])


def test_values_move_to_the_side_that_wins_and_stay_in_their_range():
    spsa = Spsa([read_parameter("x=0.0..100.0@50")], 100, seed=1)
    probe = spsa.probe(2)
    direction = probe.steps["x"]
    before = spsa.values["x"]
    spsa.update(probe, 3, 0, 1)
    assert (spsa.values["x"] - before) * direction > 0
    spsa.update(probe, 10_000, 0, 0)
    assert spsa.values["x"] == (100 if direction > 0 else 0)


def test_both_sides_of_a_whole_number_differ_by_its_step():
    spsa = Spsa([DEPTH], 100, seed=3)
    for _ in range(50):
        probe = spsa.probe(1)
        assert probe.plus["depth"] != probe.minus["depth"]
        assert {1 <= int(side["depth"]) <= 9 for side in (probe.plus, probe.minus)} == {True}
        spsa.update(probe, 1, 0, 1)


def play(spsa, optimum, elo, rng, iterations=None):
    """Tune with games whose results follow from the distance to the optimum."""

    def strength(side):
        return -sum(elo * ((float(side[name]) - best) / 50) ** 2 for name, best in optimum.items())

    done = []
    while spsa.pairs < spsa.total_pairs and (iterations is None or len(done) < iterations):
        probe = spsa.probe(4)
        expected = 1 / (1 + 10 ** ((strength(probe.minus) - strength(probe.plus)) / 400))
        games = [0.5 if rng.random() < 0.1 else float(rng.random() < expected) for _ in range(2 * probe.pairs)]
        done.append(spsa.update(probe, games.count(1.0), games.count(0.5), games.count(0.0)))
    return done, strength(write_values(spsa.parameters, spsa.values))


@pytest.mark.parametrize("seed", range(8))
def test_a_known_optimum_is_found_with_noisy_games(seed):
    """170 Elo below the optimum at the start; 1,000 pairs of games bring it to within 12 Elo."""
    parameters = [read_parameter("x=0.0..100.0@20"), read_parameter("depth=0..100@80")]
    spsa = Spsa(parameters, 1000, seed=seed)
    optimum = {"x": 60, "depth": 45}
    _, elo = play(spsa, optimum, 150, random.Random(seed))
    assert elo > -12


def test_a_resumed_tuning_continues_with_the_same_iterations():
    parameters = [read_parameter("x=0.0..100.0@20"), read_parameter("depth=0..100@80")]
    whole = Spsa(parameters, 100, seed=5)
    rng = random.Random(1)
    all_done, _ = play(whole, {"x": 60, "depth": 45}, 150, rng)
    rng = random.Random(1)
    begun = Spsa(parameters, 100, seed=5)
    done, _ = play(begun, {"x": 60, "depth": 45}, 150, rng, iterations=7)
    resumed = Spsa(parameters, 100, seed=5)
    resumed.resume(done)
    rest, _ = play(resumed, {"x": 60, "depth": 45}, 150, rng)
    assert [*done, *rest] == all_done
