"""Plays any legal action: the shortest bot there is, and the floor every other must beat."""

from protocol.bot import Turn, run
from protocol.words import AnyAction


def choose(turn: Turn) -> AnyAction:
    """Choose any legal action."""
    return turn.rng.choice(turn.legal)


if __name__ == "__main__":
    run(choose, name="random", wants=["legal"])
