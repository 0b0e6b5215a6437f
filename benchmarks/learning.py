"""Games in one process: random play by the rules alone, through `arbiter.api`, and in the environment for learning.

All ways play the same number of games, one after the other, so that the load of the machine affects all of them.
"""

import time
from collections.abc import Callable
from random import Random
from statistics import median
from typing import Final

import numpy as np

from arbiter.api import start_game
from arbiter.games.board.ruleset import BoardRules
from arbiter.games.catalogue import find_game
from arbiter.games.chance import SeededChance
from arbiter.learning.environment import StrategoEnv, env
from benchmarks.measured import Measured
from protocol.bot.session import draw_deployment
from protocol.words import SEATS

RULE_SETS: Final = ("original", "barrage")
GAMES: Final = 6
REPEATS, SHORT_REPEATS = 15, 3
TARGET: Final = 0.5


def play_rules(name: str, seed: int) -> int:
    """Play a game at random from lists of legal actions, by the rules alone; return the plies."""
    rng = Random(seed)
    game = find_game(name)
    assert isinstance(game, BoardRules)
    play = game.start(SeededChance(seed))
    for seat in SEATS:
        play.act(seat, draw_deployment(game.describe("red"), seat, rng))
    pick = rng.random
    while play.outcome is None:
        seat = play.to_act[0]
        legal = play.legal_actions(seat)
        play.act(seat, legal[int(pick() * len(legal))])
    return play.plies


def play_api(name: str, seed: int) -> int:
    """Play the same through `arbiter.api`."""
    rng = Random(seed)
    state = start_game(name, seed=seed)
    for seat in SEATS:
        state.act(seat, state.random_deployment(seat, rng))
    pick = rng.random
    while to_act := state.to_act:
        legal = state.legal_actions(to_act[0])
        state.act(to_act[0], legal[int(pick() * len(legal))])
    return state.plies


ENVIRONMENTS: Final = {name: StrategoEnv(name) for name in RULE_SETS}
WRAPPED: Final = {name: env(name) for name in RULE_SETS}


def play_environment(name: str, seed: int) -> int:
    """Play the same in the environment, with planes and an action mask for each ply."""
    return play_agents(ENVIRONMENTS[name], seed)


def play_wrapped(name: str, seed: int) -> int:
    """Play the same in the environment with PettingZoo's wrappers."""
    return play_agents(WRAPPED[name], seed)


def play_agents(environment: StrategoEnv, seed: int) -> int:
    pick = Random(seed).random
    environment.reset(seed=seed)
    while True:
        observation, _, is_over, _, info = environment.last()
        if is_over:
            return int(info["plies"])
        (legal,) = observation["action_mask"].view(np.bool_).nonzero()
        environment.step(legal[int(pick() * len(legal))])


def measure(play: Callable[[str, int], int], name: str) -> float:
    """Return the plies per second."""
    started = time.process_time()
    plies = sum(play(name, seed) for seed in range(GAMES))
    return plies / (time.process_time() - started)


def main(*, is_full: bool) -> list[Measured]:
    """Print plies per second, and the ratio to the rules alone: the median of several rounds that measure each way."""
    ways = {
        "rules alone": play_rules,
        "arbiter.api": play_api,
        "environment": play_environment,
        "with wrappers": play_wrapped,
    }
    print(f"{'plies per second':18}" + "".join(f"{way:>18}" for way in ways))
    found = []
    for name in RULE_SETS:
        for play in ways.values():
            play(name, 0)  # tables that are computed once
        rounds = [
            {way: measure(play, name) for way, play in ways.items()}
            for _ in range(REPEATS if is_full else SHORT_REPEATS)
        ]
        cells = ""
        for way in ways:
            speed = max(speeds[way] for speeds in rounds)
            ratio = median(speeds[way] / speeds["rules alone"] for speeds in rounds)
            cells += f"{speed:>11.0f} ({ratio:.2f})"
            if way == "environment":
                what = f"random play of {name} in the environment / by the rules alone"
                found.append(Measured(what, ratio, "", "Python", at_least=TARGET))
        print(f"{name:18}{cells}")
    return found
