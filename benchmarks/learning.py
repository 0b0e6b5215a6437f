"""Games in one process: random play by the rules alone, through `arbiter.api`, and in the environments for learning, and samples.

All ways take turns, so that the load of the machine affects all of them.
"""

import time
from collections.abc import Callable
from functools import partial
from random import Random
from statistics import median
from typing import Final

import numpy as np

from arbiter.api import RULE_SET_NAMES, GameState, start_game
from arbiter.games.board.ruleset import BoardRules
from arbiter.games.catalogue import find_game
from arbiter.games.chance import SeededChance
from arbiter.learning.environment import StrategoEnv, env
from arbiter.learning.vector import StrategoVectorEnv
from benchmarks.measured import Measured
from protocol.bot.session import draw_deployment
from protocol.words import SEATS, AnyAction, Seat

RULE_SETS: Final = ("original", "barrage")
GAMES: Final = 6
REPEATS, SHORT_REPEATS = 15, 3
WARM_UP: Final = 5
AT_A_TIME: Final = 256
STEPS: Final = 20
TARGET: Final = 0.7
VECTOR_TARGET: Final = 1.5
SAMPLE_TARGET: Final = 2.0
CALLS: Final = 300


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
        environment.step(legal.item(int(pick() * len(legal))))


def play_games(play: Callable[[str, int], int], name: str) -> int:
    """Play games one after the other; return the plies."""
    return sum(play(name, seed) for seed in range(GAMES))


class Batch:
    """Random play of many games at a time; each measurement continues the games of the last one."""

    def __init__(self, name: str, games: int) -> None:
        self._environment = StrategoVectorEnv(games, name)
        self._rng = np.random.default_rng(1)
        self._masks = self._environment.reset(seed=1)[0]["action_mask"]

    def play(self, steps: int) -> int:
        """Play this number of plies in each game; return the plies."""
        games, size = self._masks.shape
        first = np.arange(games) * size
        for _ in range(steps):
            legal = np.flatnonzero(self._masks.view(np.bool_))
            starts = legal.searchsorted(first)
            chosen = starts + (self._rng.random(games) * np.diff(starts, append=legal.size)).astype(np.intp)
            self._masks = self._environment.step(legal[chosen] - first)[0]["action_mask"]
        return steps * len(first)


def measure(play: Callable[[], int]) -> float:
    """Return the plies per second."""
    started = time.process_time()
    plies = play()
    return plies / (time.process_time() - started)


# --- samples --------------------------------------------------------------------------------------


def compare_samples(name: str, *, is_full: bool) -> float:
    """Return the processor time of a sample, as a multiple of that of a copy; the greater one of two stages of a game.

    Near its start nearly all ranks are hidden, later some are known.
    """
    ratios = []
    for plies in (10, 100):
        rng = Random(1)
        state, actions = play_a_while(name, plies, rng)
        seat = state.to_act[0]
        known = GameState.from_view(state.rules, seat, state.facts(seat), actions[seat])
        rounds = [
            measure(partial(repeat, partial(known.sample, rng))) / measure(partial(repeat, state.copy))
            for _ in range(REPEATS if is_full else SHORT_REPEATS)
        ]
        ratios.append(1 / median(rounds))
    return max(ratios)


def play_a_while(name: str, plies: int, rng: Random) -> tuple[GameState, dict[Seat, list[AnyAction]]]:
    """Play at random up to a ply, or to the last one before the end; return the game, and the actions of each seat."""
    state = start_game(name, seed=1)
    actions: dict[Seat, list[AnyAction]] = {seat: [] for seat in SEATS}
    while state.plies < plies:
        seat, before = state.to_act[0], state.copy()
        legal = state.legal_actions(seat)
        action = rng.choice(legal) if legal else state.random_deployment(seat, rng)
        state.act(seat, action)
        if state.outcome is not None:
            return before, actions
        actions[seat].append(action)
    return state, actions


def repeat(call: Callable[[], object]) -> int:
    """Call a function some times; return how often."""
    for _ in range(CALLS):
        call()
    return CALLS


def main(*, is_full: bool) -> list[Measured]:
    """Print plies per second, and the ratio to the rules alone: the median of several rounds that measure each way."""
    ways = {
        "rules alone": play_rules,
        "arbiter.api": play_api,
        "environment": play_environment,
        "with wrappers": play_wrapped,
    }
    batches = {"vector of 1": (1, STEPS * AT_A_TIME), f"vector of {AT_A_TIME}": (AT_A_TIME, STEPS)}
    print(f"{'plies per second':18}" + "".join(f"{way:>18}" for way in (*ways, *batches)))
    found = []
    for name in RULE_SETS:
        plays = {way: partial(play_games, play, name) for way, play in ways.items()}
        plays |= {way: partial(Batch(name, games).play, steps) for way, (games, steps) in batches.items()}
        for play in plays.values():
            for _ in range(WARM_UP):  # tables that are computed once, and games of all ages
                play()
        rounds = [
            {way: measure(play) for way, play in plays.items()} for _ in range(REPEATS if is_full else SHORT_REPEATS)
        ]
        cells = ""
        for way in plays:
            speed = max(speeds[way] for speeds in rounds)
            ratio = median(speeds[way] / speeds["rules alone"] for speeds in rounds)
            cells += f"{speed:>11.0f} ({ratio:.2f})"
            if way == "environment":
                what = f"random play of {name} in the environment / by the rules alone"
                found.append(Measured(what, ratio, "", "Python", at_least=TARGET))
        ratio = median(speeds[f"vector of {AT_A_TIME}"] / speeds["environment"] for speeds in rounds)
        what = f"random play of {name}, {AT_A_TIME} games at a time / one after the other, in the environments"
        found.append(Measured(what, ratio, "", "Python", at_least=VECTOR_TARGET))
        print(f"{name:18}{cells}")
    ratios = {name: compare_samples(name, is_full=is_full) for name in RULE_SET_NAMES}
    print("sample / copy: " + ", ".join(f"{name} {ratio:.2f}" for name, ratio in ratios.items()))
    found.append(
        Measured(
            "time of a sample / of a copy, the greatest of all rule sets",
            max(ratios.values()),
            "",
            "Python",
            at_most=SAMPLE_TARGET,
        )
    )
    return found
