"""A game of a policy in the environment, and its actions and planes as JSON."""

import json
import random

import engineers.register  # isort: skip
from engineers.words import Disarm

from arbiter.learning.actions import ActionTable
from arbiter.learning.environment import StrategoEnv
from arbiter.learning.planes import Layout

RULES = engineers.register.ENGINEERS


def main():
    table = ActionTable(RULES)
    layout = Layout(RULES)
    powers = {number for number, action in enumerate(table.actions["red"]) if isinstance(action, Disarm)}
    chance = random.Random(3)
    environment = StrategoEnv("engineers")
    environment.reset(seed=3)
    found = {"planes": layout.names, "powers": len(powers), "used": 0, "shown": 0, "games": 0}
    while environment.agents:
        seen = environment.observe(environment.agent_selection)
        legal = {number for number, allowed in enumerate(seen["action_mask"]) if allowed}
        found["shown"] += int(seen["observation"][:, :, layout.index["enemy engineer"]].any())
        if environment.terminations[environment.agent_selection]:
            environment.step(None)
            found["games"] = 1
            continue
        found["used"] += bool(powers & legal)
        environment.step(chance.choice(sorted(powers & legal or legal)))
    print(json.dumps(found))  # noqa: T201 - its output


if __name__ == "__main__":
    main()
