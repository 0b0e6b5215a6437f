"""The kit for bots in Python: it reads the messages, follows the game and answers; the bot chooses.  See KIT.md.

A bot is a function from a `Turn` to an action, or a subclass of `Player` if it keeps state:

    run(lambda turn: turn.rng.choice(turn.legal), name="random", wants=["legal"])

Imports nothing of the arbiter.
"""

from protocol.bot.game import Board, Game, Turn
from protocol.bot.session import Choice, Chooser, Player, Session, deploy_at_random, new_session, run

__all__ = [
    "Board",
    "Choice",
    "Chooser",
    "Game",
    "Player",
    "Session",
    "Turn",
    "deploy_at_random",
    "new_session",
    "run",
]
