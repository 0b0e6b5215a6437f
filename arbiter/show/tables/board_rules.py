"""What is particular to the board games on the page of a rule set."""

from collections.abc import Mapping
from typing import Final

from arbiter.games.board.ruleset import Ruleset
from arbiter.games.ranks import Trait
from arbiter.show.tables.sheet import Cell
from protocol.words import SEATS, Seat

BOARD_ENDINGS: Final = (
    "the flag is taken: its taker wins",
    "a side has no movable piece left: it loses; where neither has one it is a draw",
    "a player has no legal move on its turn: it loses",
)


def board_repetition(ruleset: Ruleset) -> tuple[Cell, Cell]:
    """Return the two cells on repetition in the list of rule sets."""
    return ruleset.two_squares or "off", ruleset.more_squares


def board_object(ruleset: Ruleset) -> Mapping[str, object]:
    """Describe for a program what only a board game has."""
    return {
        "board": {"files": ruleset.board.files, "rows": ruleset.board.rows, "lakes": list(ruleset.board.lakes)},
        "deploy": {seat: [ruleset.board.names[square] for square in ruleset.deployment(seat)] for seat in SEATS},
        "two_squares": ruleset.two_squares,
        "more_squares": ruleset.more_squares,
        "immovable_loses": ruleset.immovable_loses,
    }


def board_sections(ruleset: Ruleset) -> Mapping[str, list[str]]:
    """Write the sections that only a board game's page has."""
    board = ruleset.board
    return {
        f"Board: {board.files}x{board.rows}": [f"lakes {' '.join(board.lakes)}" if board.lakes else "no lakes"],
        "Deployment": [f"{seat} on {_rows(ruleset, seat)}" for seat in SEATS],
    }


def board_play(ruleset: Ruleset) -> list[str]:
    """Write what is particular to how a board game is played."""
    return [_immovable(ruleset), _two_squares(ruleset), _more_squares(ruleset)]


def _rows(ruleset: Ruleset, seat: Seat) -> str:
    rows = [square // ruleset.board.files + 1 for square in ruleset.deployment(seat)]
    return f"rows {min(rows)} to {max(rows)}"


def _immovable(ruleset: Ruleset) -> str:
    still = " and ".join(rank.id for rank in ruleset.ranks if rank.has(Trait.IMMOVABLE))
    return f"{still} never move; who moves one {'loses at once' if ruleset.immovable_loses else 'has made an illegal move'}"


def _two_squares(ruleset: Ruleset) -> str:
    limit = ruleset.two_squares
    if not limit:
        return "two squares: no limit"
    return f"two squares: a piece may cross the same border {limit} turns running, and not once more"


def _more_squares(ruleset: Ruleset) -> str:
    scope = {
        "off": "no limit",
        "chase": "a chase may not bring back a position of the chase",
        "game": "a chase may not bring back any earlier position of the game",
    }
    return f"more squares: {scope[ruleset.more_squares]}"
