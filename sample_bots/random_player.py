"""A bot that plays any legal action: the shortest bot possible, and the minimum that every other must beat."""

from protocol.bot import Turn, run
from protocol.words import AnyAction


def choose(turn: Turn) -> AnyAction:
    return turn.rng.choice(turn.legal)


if __name__ == "__main__":
    run(choose, name="random", wants=["legal"])
