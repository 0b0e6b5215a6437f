"""The vector environment: its games are those of the environment of one game, and Gymnasium's conventions hold."""

import numpy as np
import pytest
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from arbiter.api import ConfigError, Overrides
from arbiter.learning.environment import SEAT_OF, StrategoEnv
from arbiter.learning.vector import StrategoVectorEnv
from protocol.words import SEATS

SEED = 5
GAMES = 3
SHORT = Overrides(no_attack_plies=15)
CASES = [
    ("duel", {"overrides": SHORT, "history": 2}, 300),
    ("barrage", {"deploy": None}, 60),
    ("us", {"options": ("printed-army", "aggressor-advantage", "silent-defence", "rescue"), "history": 1}, 80),
    ("infiltrator", {"overrides": Overrides(army={"infiltrator": 8, "bomb": 2, "scout": 4})}, 60),
    ("clone-wars-powers", {"overrides": Overrides(army={"berserker": 4, "marksman": 4, "bomb": 2, "major": 0})}, 80),
]


def choose_all(observations, rng):
    return np.array([rng.choice(mask.nonzero()[0]) for mask in observations["action_mask"]])


@pytest.mark.parametrize(("rules", "settings", "steps"), CASES)
def test_each_game_is_that_of_the_environment_of_one_game(rules, settings, steps):
    vector = StrategoVectorEnv(GAMES, rules, **settings)
    singles = [StrategoEnv(rules, **settings) for _ in range(GAMES)]
    for number, single in enumerate(singles):
        single.reset(seed=SEED + number)
    observations, infos = vector.reset(seed=SEED)
    rng = np.random.default_rng(1)
    ended = 0
    for _ in range(steps):
        assert vector.observation_space.contains(observations)
        for row, single in enumerate(singles):
            assert SEATS[infos["player"][row]] == SEAT_OF[single.agent_selection]
            assert_equal_rows(observations, row, single.observe(single.agent_selection))
        actions = choose_all(observations, rng)
        observations, rewards, terminations, truncations, infos = vector.step(actions)
        for row, single in enumerate(singles):
            agent = single.agent_selection
            single.step(actions[row])
            assert rewards[row] == single.rewards[agent]
            assert terminations[row] == single.terminations[agent]
            assert not truncations[row]
            if terminations[row]:
                ended += 1
                assert infos["_final_info"][row]
                final = {key: values[row] for key, values in infos["final_info"].items() if key[0] != "_"}
                assert final == single.infos[agent]
                assert all(
                    (infos["final_obs"][row][key] == shown).all() for key, shown in single.observe(agent).items()
                )
                single.reset()
    assert (ended > GAMES) == (rules == "duel")


def assert_equal_rows(observations, row, expected):
    for key, shown in expected.items():
        assert (observations[key][row] == shown).all(), key


def test_the_wrappers_of_gymnasium_accept_it():
    environment = RecordEpisodeStatistics(StrategoVectorEnv(4, "duel", overrides=SHORT))
    environment.action_space.seed(1)
    observations, _ = environment.reset(seed=1)
    lengths = []
    while len(lengths) < 8:
        actions = environment.action_space.sample(mask=tuple(observations["action_mask"]))
        observations, _, terminations, _, infos = environment.step(actions)
        lengths += infos["episode"]["l"][terminations].tolist() if terminations.any() else []
    assert min(lengths) >= SHORT.no_attack_plies


@pytest.mark.parametrize(
    ("actions", "error"),
    [
        ([0, -1], "action -1 of game 1 is illegal; see action_mask"),
        ([0, 10**6], "action 1000000 of game 1 is illegal"),
        ([0, None], "action .* of game 1 is illegal"),
        ([0], r"array \(1,\) of int64; give an array of 2 integers"),
        ([0.0, 0.0], r"array \(2,\) of float64"),
    ],
)
def test_a_wrong_action_is_refused_and_changes_nothing(actions, error):
    environment = StrategoVectorEnv(2, "duel")
    observations, _ = environment.reset(seed=3)
    legal, illegal = observations["action_mask"][0].argmax(), observations["action_mask"][1].argmin()
    chosen = [legal if action == 0 else illegal if action is None else action for action in actions]
    with pytest.raises(ValueError, match=error):
        environment.step(np.array(chosen) + 0.0 if isinstance(actions[0], float) else np.array(chosen))
    good = observations["action_mask"].argmax(1)
    twin = StrategoVectorEnv(2, "duel")
    twin.reset(seed=3)
    after = environment.step(good)[0]
    assert all((after[key] == shown).all() for key, shown in twin.step(good)[0].items())


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: StrategoVectorEnv(0), "num_envs is 0"),
        (lambda: StrategoVectorEnv(2, history=-1), "history is -1"),
        (lambda: StrategoVectorEnv(2).reset(seed=[1]), "1 seeds for 2 games"),
    ],
)
def test_a_wrong_argument_is_refused(make, error):
    with pytest.raises((ConfigError, ValueError), match=error):
        make()


def test_the_positions_are_drawn():
    environment = StrategoVectorEnv(2, "duel", render_mode="ansi")
    environment.reset(seed=1)
    assert len(set(environment.render())) == 2
    assert StrategoVectorEnv(2, "duel").render() is None
