"""A bot that disarms whatever it can, and otherwise attacks or plays at random."""

from engineers.words import Disarm  # isort: skip

from protocol.bot import run


def choose(turn):
    powers = [action for action in turn.legal if isinstance(action, Disarm)]
    attacks = [action for action in turn.legal if action.dst in turn.enemies]
    return turn.rng.choice(powers or attacks or turn.legal)


run(choose, name="sapper", wants=["legal"])
