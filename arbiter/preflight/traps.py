"""Positions in which to repeat oneself is natural and forbidden, and opponents that let it come to that.

In all of them the bot has red and begins, and always has a move that is allowed.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Final, Literal, cast

from msgspec import UNSET, Struct
from msgspec.structs import replace

from arbiter.errors import IllegalAction
from arbiter.games.contest import Contest
from arbiter.games.overrides import Overrides
from arbiter.games.ranks import CLASSIC
from arbiter.preflight.opponents import opponent
from arbiter.record import read_record
from arbiter.referee.local_player import Conversation
from arbiter.verify import begin, replay
from protocol.bot import Turn
from protocol.messages import BoardView, Rules, ViewPiece
from protocol.words import RED, AnyAction, Move, Moved, Place

_BACK_ROW: Final = "10"
_RING: Final = ("a1", "b1", "b2", "a2")

# Letters as in a tournament's `position`, row 10 first: red E miner, B bomb, M flag; blue Q, N, Y; dots are empty.
# Each red miner has two squares to itself.
_CELLS: Final = """
Q..N.Y..NQ
NNN......N
..........
..........
..__..__..
..__..__..
..........
..........
BB......BB
E.B.M..B.E
"""
# A red miner and a blue one share four squares, round which one can chase the other for ever.
_MERRY_GO_ROUND: Final = """
Q..N.Y.NNN
NNN.......
..........
..........
..__..__..
..__..__..
..........
BB........
.QB.....BB
E.B.M..B.E
"""


class Trap(Struct, frozen=True, kw_only=True):
    """A position for one of the repetition rules: what it looks like, who sits opposite, where one may repeat.

    `alone` switches the other repetition rule off.
    """

    rule: Literal["two_squares", "more_squares"]
    drawing: str
    bombs: int
    opponent: Conversation
    steps: tuple[tuple[Place, Place], ...]
    is_in: Callable[[Rules], bool]
    alone: Overrides

    @property
    def position(self) -> str:
        """The position as a tournament file has it."""
        return "".join(reversed(self.drawing.split())).replace(".", "a")

    def overrides(self, plies: int) -> Overrides:
        """Change a rule set so that the army is what stands there, and the game ends after some plies."""
        army = {rank.id: 0 for rank in CLASSIC} | {"miner": 2, "bomb": self.bombs, "flag": 1}
        return replace(
            self.alone,
            army={str(rank): count for rank, count in army.items()},
            no_attack_plies=0,
            max_plies=plies,
        )

    def temptations(self, record: bytes) -> int:
        """Count the questions of a game to which a step would have been refused by the rule."""
        whole = read_record(record)
        table, luck = begin(whole)
        tempted = int(self._tempts(table))
        for _ in replay(table, luck, whole):
            tempted += self._tempts(table)
        return tempted

    def _tempts(self, table: Contest) -> bool:
        return table.to_act == (RED,) and any(self._refuses(table, Move(src, dst)) for src, dst in self.steps)

    def _refuses(self, table: Contest, move: Move) -> bool:
        try:
            table.play.copy().act(RED, move)
        except IllegalAction as refusal:
            return refusal.rule == self.rule
        return False


def _steps(turn: Turn) -> list[Move]:
    """List the moves to empty squares."""
    taken = {piece.place for piece in _pieces(turn)}
    return [action for action in turn.legal if isinstance(action, Move) and action.dst not in taken]


def _pieces(turn: Turn) -> list[ViewPiece]:
    return cast("BoardView", turn.view).pieces


def _stroll(turn: Turn) -> AnyAction:
    """Walk along the back row, from end to end."""
    came_from = {fact.src for fact in turn.news if isinstance(fact, Moved) and fact.seat == turn.seat}
    steps = [move for move in _steps(turn) if move.src.endswith(_BACK_ROW)]
    ahead = [move for move in steps if move.dst not in came_from]
    return (ahead or steps or turn.legal)[0]


def _evade(turn: Turn) -> AnyAction:
    """Run round from whoever comes near in the ring; else walk."""
    hunters = [piece.place for piece in _pieces(turn) if piece.seat != turn.seat and piece.place in _RING]
    ways = [move for move in _steps(turn) if move.src in _RING and any(_is_beside(move.src, one) for one in hunters)]
    return ways[0] if ways else _stroll(turn)


def _is_beside(one: Place, other: Place) -> bool:
    return abs(ord(one[0]) - ord(other[0])) + abs(int(one[1:]) - int(other[1:])) == 1


def _there_and_back(*ways: tuple[Place, ...]) -> tuple[tuple[Place, Place], ...]:
    """List the steps along some ways, in both directions."""
    return tuple(step for way in ways for src, dst in pairwise(way) for step in ((src, dst), (dst, src)))


TWO_SQUARES: Final = Trap(
    rule="two_squares",
    drawing=_CELLS,
    bombs=6,
    opponent=opponent(_stroll),
    steps=_there_and_back(("a1", "b1"), ("i1", "j1")),
    is_in=lambda rules: rules.two_squares is not UNSET and rules.two_squares > 0,
    alone=Overrides(more_squares="off"),
)
MORE_SQUARES: Final = Trap(
    rule="more_squares",
    drawing=_MERRY_GO_ROUND,
    bombs=7,
    opponent=opponent(_evade),
    steps=_there_and_back((*_RING, _RING[0])),
    is_in=lambda rules: rules.more_squares is not UNSET and rules.more_squares != "off",
    alone=Overrides(two_squares=0),
)
