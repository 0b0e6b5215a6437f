"""The actions of a board game as numbers.

Each seat numbers the actions as it sees the board, its own side at the bottom: blue's squares are rotated by 180
degrees.  So one policy can play both seats.
"""

from collections.abc import Callable, Container, Iterable
from typing import Final

from msgspec.structs import replace

from arbiter.arrays import NDArray, np
from arbiter.errors import ConfigError
from arbiter.games.board.geometry import Geometry
from arbiter.games.board.powers.base import Reach, in_line_within_two, over_land_within_two, within_two
from arbiter.games.board.ruleset import BoardRules
from arbiter.games.catalogue import find_game
from arbiter.games.ranks import Trait
from arbiter.games.ruleset import NO_OVERRIDES, Overrides
from protocol.words import BLUE, RED, SEATS, AnyAction, Infiltrate, Look, Move, Place, Rescue, Seat, Stop, Strike

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


def _list_aims(rules: BoardRules, reach: Reach) -> list[tuple[Place, Place]]:
    board = rules.board
    return [
        (board.names[src], board.names[dst])
        for src, near in enumerate(reach(board))
        if src not in board.lake_squares
        for dst in board.squares(near & board.land)
    ]


def _list_moves(rules: BoardRules) -> list[AnyAction]:
    return [rules.board.moves[ends] for ends in sorted(rules.board.moves)]


def _list_looks(rules: BoardRules) -> list[AnyAction]:
    return [Look(*aim) for aim in _list_aims(rules, within_two)]


def _list_strikes(rules: BoardRules) -> list[AnyAction]:
    return [Strike(*aim) for aim in _list_aims(rules, in_line_within_two)]


def _list_infiltrations(rules: BoardRules) -> list[AnyAction]:
    deep = {rules.board.names[square] for square in rules.deployment(BLUE)}
    return [
        Infiltrate(src, dst, rank.id)
        for src, dst in _list_aims(rules, over_land_within_two)
        if src in deep
        for rank in rules.ranks
    ]


def _list_rescues(rules: BoardRules) -> list[AnyAction]:
    board = rules.board
    half = [board.names[square] for square in range(board.size // 2) if square not in board.lake_squares]
    ranks = [rank.id for rank in rules.ranks if not rank.has(Trait.IMMOVABLE)]
    return [Rescue(rank, place) for rank in ranks for place in half]


def _list_stops(_rules: BoardRules) -> list[AnyAction]:
    return [Stop()]


_LISTS: Final[tuple[tuple[type[AnyAction], Callable[[BoardRules], list[AnyAction]]], ...]] = (
    (Look, _list_looks),
    (Strike, _list_strikes),
    (Infiltrate, _list_infiltrations),
    (Rescue, _list_rescues),
    (Stop, _list_stops),
)
"""The actions besides moves, in the order of their numbers; a rule set has those of its powers."""


class ActionTable:
    """The numbers of all actions of a rule set: moves, then the actions of its powers, then placements.

    A placement puts the next piece of the army on a deployment square; `deploys` adds them.
    """

    def __init__(self, rules: BoardRules, *, deploys: bool = False) -> None:
        used = {power.action for power in rules.powers}
        lists = [_list_moves(rules), *(listed(rules) for action, listed in _LISTS if action in used)]
        seen_by_red: list[AnyAction] = [action for actions in lists for action in actions]
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

    def mask(self, seat: Seat, legal: Iterable[AnyAction], placed: Container[Place] | None = None) -> Mask:
        """Return an array with 1 for each legal action; if the seat places its pieces, `placed` are the used squares."""
        mask = bytearray(self.size)
        for number in map(self.numbers[seat].__getitem__, legal):
            mask[number] = 1
        if placed is not None:
            for number, place in enumerate(self.placements[seat], start=self.first_placement):
                mask[number] = place not in placed
        return np.frombuffer(mask, np.int8)


def _rotate_action(action: AnyAction, board: Geometry) -> AnyAction:
    match action:
        case Move(src, dst) | Look(src, dst) | Strike(src, dst) | Infiltrate(src, dst):
            return replace(action, src=rotate(src, board), dst=rotate(dst, board))
        case Rescue():
            return replace(action, dst=rotate(action.dst, board))
        case _:
            return action
