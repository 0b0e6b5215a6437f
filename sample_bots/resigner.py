"""A bot that resigns at its first turn: the opponent in positions of a suite that ask for one action."""

from protocol.bot import Turn, run
from protocol.words import Resign


def choose(_turn: Turn) -> Resign:
    return Resign()


if __name__ == "__main__":
    run(choose, name="resigner")
