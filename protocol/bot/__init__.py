"""The kit for bots in Python: it reads, follows the game and answers; the bot chooses.  KIT.md tells all of it.

A bot is a function from a `Turn` to an action, or a subclass of `Player` where it has to remember:

    run(lambda turn: turn.rng.choice(turn.legal), name="random", wants=["legal"])

Imports nothing of the arbiter.
"""

from protocol.bot.board import Board
from protocol.bot.game import Game
from protocol.bot.loop import run
from protocol.bot.player import Choice, Chooser, Player, deploy_at_random
from protocol.bot.session import Session, new_session
from protocol.bot.turn import Turn

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
