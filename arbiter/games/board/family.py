"""The board games as a family: one engine, many rule sets."""

from typing import Final

from msgspec.structs import replace

from arbiter.games.board.diagram import read_position
from arbiter.games.board.game import BoardGame
from arbiter.games.board.ruleset import Ruleset, override
from arbiter.games.family import Family


def with_position(ruleset: Ruleset, position: str) -> Ruleset:
    """Start from a position, given as its letters, instead of deployments.  Raises ConfigError."""
    return replace(ruleset, position=read_position(position, ruleset.board, [rank.id for rank in ruleset.ranks]))


BOARD_GAMES: Final = Family(override, with_position, BoardGame)
