"""The actions of a board game as numbers.

Each seat numbers the actions as it sees the board, its own side at the bottom: blue's squares are rotated by 180
degrees.  So one policy can play both seats.
"""

from collections.abc import Container, Iterable
from itertools import chain

from msgspec.structs import replace

from arbiter.arrays import NDArray, np
from arbiter.errors import ConfigError
from arbiter.games.board.geometry import Geometry
from arbiter.games.board.ruleset import BoardRules
from arbiter.games.catalogue import find_game
from arbiter.games.ruleset import NO_OVERRIDES, Overrides
from protocol.words import BLUE, RED, SEATS, AnyAction, Place, Seat

Mask = NDArray[np.int8]


def find_board_game(
    name: str, options: Iterable[str] = (), overrides: Overrides = NO_OVERRIDES, position: str | None = None
) -> BoardRules:
    """Find the rule set of a board game by name, as `arbiter.api.start_game`.  Raises ConfigError."""
    ruleset = find_game(name, options, overrides, position)
    if not isinstance(ruleset, BoardRules):
        raise ConfigError(
            f"{name} has no board, so it has no observation planes; "
            "choose a board game, or use arbiter.api, which plays all games"
        )
    return ruleset


def rotate(place: Place, board: Geometry) -> Place:
    """Return the square that blue sees where red sees `place`."""
    return board.names[board.size - 1 - board.square[place]]


class ActionTable:
    """The numbers of all actions of a rule set: moves, then the actions of its powers, then placements.

    A placement puts the next piece of the army on a deployment square; `deploys` adds them.
    """

    def __init__(self, rules: BoardRules, *, deploys: bool = False) -> None:
        moves: list[AnyAction] = [rules.board.moves[ends] for ends in sorted(rules.board.moves)]
        seen_by_red = list(dict.fromkeys(chain(moves, *(power.list_all(rules) for power in rules.powers))))
        self.actions: dict[Seat, list[AnyAction]] = {
            RED: seen_by_red,
            BLUE: [_rotate_action(action, rules.board) for action in seen_by_red],
        }
        """For each seat, the action of each number, without placements."""
        self.numbers: dict[Seat, dict[AnyAction, int]] = {
            seat: {action: number for number, action in enumerate(self.actions[seat])} for seat in SEATS
        }
        """For each seat, the number of each action, without placements."""
        self.first_placement = len(seen_by_red)
        squares = [rules.board.names[square] for square in rules.deployment(RED)] if deploys else []
        self.placements: dict[Seat, list[Place]] = {
            RED: squares,
            BLUE: [rotate(square, rules.board) for square in squares],
        }
        """For each seat, the squares of the placements, whose numbers begin at `first_placement`."""
        self.size = self.first_placement + len(squares)
        self.powers = [power for power in rules.powers if power.phase == "turn"]
        """The powers that are used instead of a move."""

    def mask(self, seat: Seat, legal: Iterable[AnyAction], placed: Container[Place] | None = None) -> Mask:
        """Return an array with 1 for each legal action; while the seat places pieces, `placed` are the used squares."""
        mask = bytearray(self.size)
        for number in map(self.numbers[seat].__getitem__, legal):
            mask[number] = 1
        if placed is not None:
            for number, place in enumerate(self.placements[seat], start=self.first_placement):
                mask[number] = place not in placed
        return np.frombuffer(mask, np.int8)


def _rotate_action(action: AnyAction, board: Geometry) -> AnyAction:
    squares = {name: place for name in ("src", "dst") if (place := getattr(action, name, None)) is not None}
    return replace(action, **{name: rotate(place, board) for name, place in squares.items()})
