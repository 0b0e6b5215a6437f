"""Train a small policy with REINFORCE, in games against itself and against random moves, on all cores.

python examples/learning/train.py my-policy.json
"""

import argparse
import time
from functools import cache
from pathlib import Path
from random import Random

import numpy as np
from policy import LinearPolicy

from arbiter.api import ConfigError, Overrides, derive_seed
from arbiter.learning.environment import StrategoEnv
from arbiter.learning.pool import GamePool

BATCH = 64
TEST_GAMES = 200
GOAL = 0.9  # share of won games against random moves, in two tests in a row
RATE = 0.1
QUIET = 100  # plies without an attack until a draw
DRAW = -0.5  # a draw is closer to a loss than to a win: else a policy learns to wait


@cache
def open_environment(rules):
    """Return the environment of this process; short games without attacks teach more in the same time."""
    return StrategoEnv(rules, overrides=Overrides(no_attack_plies=QUIET))


def choose_at_random(observation, rng):
    return rng.choice(observation["action_mask"].nonzero()[0].tolist())


def play_training_game(task):
    """Play a game, and return for each learning player its result and the sum of its gradients of log probabilities."""
    rules, weights, seed = task
    policy = LinearPolicy(rules, weights)
    rng = Random(seed)
    environment = open_environment(rules)
    environment.reset(seed=seed)
    learners = rng.choice((("player_0",), ("player_1",), ("player_0", "player_1")))
    gradients = {agent: np.zeros(policy.size) for agent in learners}
    results = {}
    for agent in environment.agent_iter():
        observation, reward, is_over, _, _ = environment.last()
        if is_over:
            results[agent] = reward
            environment.step(None)
        elif agent in gradients:
            legal, found = policy.features(observation)
            chances = policy.probabilities(found)
            choice = rng.choices(range(len(legal)), chances)[0]
            gradients[agent] += found[choice] - chances @ found
            environment.step(int(legal[choice]))
        else:
            environment.step(choose_at_random(observation, rng))
    return [(results[agent] or DRAW, gradient) for agent, gradient in gradients.items()]


def play_test_game(task):
    """Play a game against random moves, and return the reward: 1, 0 or -1."""
    rules, weights, seed = task
    policy = LinearPolicy(rules, weights)
    rng = Random(seed)
    environment = open_environment(rules)
    environment.reset(seed=seed)
    mine = environment.possible_agents[seed % 2]
    while True:
        agent = environment.agent_selection
        observation, _, is_over, _, _ = environment.last()
        if is_over:
            return environment.rewards[mine]
        choose = policy if agent == mine else choose_at_random
        environment.step(choose(observation, rng))


def main():
    """Train until the goal is reached twice in a row, and store the policy after each test."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("policy", type=Path, help="file for the trained policy")
    parser.add_argument("--rules", default="barrage", help="a rule set without powers")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=None, help="default: one for each core")
    parser.add_argument("--iterations", type=int, default=300)
    arguments = parser.parse_args()
    if not arguments.policy.parent.is_dir():
        parser.error(f"the folder {arguments.policy.parent} does not exist; create it first")
    try:
        policy = LinearPolicy(arguments.rules)
    except ConfigError as error:
        parser.error(str(error))
    started = time.monotonic()
    moments = np.zeros((2, policy.size))
    share = 0.0
    with GamePool(arguments.processes) as pool:
        for iteration in range(1, arguments.iterations + 1):
            seeds = [derive_seed(arguments.seed, "train", iteration, number) for number in range(BATCH)]
            tasks = [(arguments.rules, policy.weights, seed) for seed in seeds]
            played = [one for game in pool.map(play_training_game, tasks) for one in game]
            results = np.array([result for result, _ in played])
            gradients = np.array([gradient for _, gradient in played])
            advantages = (results - results.mean()) / (results.std() + 1e-3)
            gradient = advantages @ gradients / len(played)
            moments[0] = 0.9 * moments[0] + 0.1 * gradient
            moments[1] = 0.99 * moments[1] + 0.01 * gradient**2
            bias = (1 - 0.9**iteration, 1 - 0.99**iteration)
            policy.weights = policy.weights + RATE * (moments[0] / bias[0]) / (np.sqrt(moments[1] / bias[1]) + 1e-6)
            if iteration % 10:
                continue
            seeds = [
                2 * derive_seed(arguments.seed, "test", iteration, number) + number % 2 for number in range(TEST_GAMES)
            ]
            rewards = np.array(pool.map(play_test_game, [(arguments.rules, policy.weights, seed) for seed in seeds]))
            before, share = share, float((rewards == 1).mean())
            print(
                f"{iteration:4} iterations, {iteration * BATCH:6} games, {time.monotonic() - started:4.0f} s: "
                f"won {share:.1%} and lost {(rewards == -1).mean():.1%} of {TEST_GAMES} games against random moves",
                flush=True,
            )
            policy.save(arguments.policy)
            if min(before, share) >= GOAL:
                return


if __name__ == "__main__":
    main()
