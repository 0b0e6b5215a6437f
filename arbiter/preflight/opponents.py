"""Opponents that the check plays itself: one plays at random, two tempt the bot to break a repetition rule.

A trap is a position in which it is natural to repeat moves.
The bot is red, moves first and always has a legal move.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import BinaryIO, Final, Literal, cast

from msgspec import UNSET, Struct
from msgspec.structs import replace

from arbiter.games.base import IllegalAction
from arbiter.games.contest import Contest
from arbiter.games.ranks import CLASSIC
from arbiter.games.ruleset import Overrides
from arbiter.record import read_record
from arbiter.referee.thread_link import Converse
from arbiter.verify import begin, replay
from protocol.bot import Chooser, Turn, new_session
from protocol.codec import decode_later_arbiter_line, encode
from protocol.messages import BoardView, Bye, Rules, ViewPiece
from protocol.words import RED, AnyAction, Move, Moved, Place


def make_opponent(choose: Chooser) -> Converse:
    """Make an opponent that answers each question with the action that `choose` returns."""

    def converse(source: BinaryIO, sink: BinaryIO) -> None:
        session = new_session(choose, name="check", wants=["legal"])
        for line in source:
            message = decode_later_arbiter_line(line)
            if message is None or isinstance(message, Bye):
                return
            if answer := session.receive(message):
                sink.write(encode(answer))

    return converse


RANDOM_OPPONENT: Final = make_opponent(lambda turn: turn.rng.choice(turn.legal))


# --- traps ----------------------------------------------------------------------------------------

_BACK_ROW: Final = "10"
_RING: Final = ("a1", "b1", "b2", "a2")

# The letters are those of `position` in a tournament file, row 10 first. Red: E miner, B bomb, M flag.
# Blue: Q, N and Y. A dot is an empty square. Each red miner can move only between two squares.
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
# A red miner can chase a blue one around four squares forever.
_CHASE: Final = """
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
    """A position that tempts the bot to break one repetition rule."""

    rule: Literal["two_squares", "more_squares"]
    drawing: str
    bombs: int
    opponent: Converse
    steps: tuple[tuple[Place, Place], ...]
    """Steps that can break the rule."""
    is_in: Callable[[Rules], bool]
    """Returns True if a rule set has the rule."""
    without_other_rule: Overrides
    """Switches the other repetition rule off."""

    @property
    def position(self) -> str:
        """The position as written in a tournament file."""
        return "".join(reversed(self.drawing.split())).replace(".", "a")

    def overrides(self, plies: int) -> Overrides:
        """Return overrides that fit the army to the position and end the game after some plies."""
        army = {rank.id: 0 for rank in CLASSIC} | {"miner": 2, "bomb": self.bombs, "flag": 1}
        return replace(
            self.without_other_rule,
            army={str(rank): count for rank, count in army.items()},
            no_attack_plies=0,
            max_plies=plies,
        )

    def count_temptations(self, data: bytes) -> int:
        """Count the bot's turns in a record at which the rule forbade one of the steps."""
        record = read_record(data)
        contest, chance = begin(record)
        count = int(self._is_tempting(contest))
        for _ in replay(contest, chance, record):
            count += self._is_tempting(contest)
        return count

    def _is_tempting(self, contest: Contest) -> bool:
        if contest.to_act != (RED,):
            return False
        for src, dst in self.steps:
            try:
                contest.play.copy().act(RED, Move(src, dst))
            except IllegalAction as refusal:
                if refusal.rule == self.rule:
                    return True
        return False


def _pieces(turn: Turn) -> list[ViewPiece]:
    return cast("BoardView", turn.view).pieces


def _moves_without_attack(turn: Turn) -> list[Move]:
    taken = {piece.place for piece in _pieces(turn)}
    return [action for action in turn.legal if isinstance(action, Move) and action.dst not in taken]


def _walk_along_back_row(turn: Turn) -> AnyAction:
    """Walk along the back row from one end to the other."""
    came_from = {fact.src for fact in turn.news if isinstance(fact, Moved) and fact.seat == turn.seat}
    steps = [move for move in _moves_without_attack(turn) if move.src.endswith(_BACK_ROW)]
    ahead = [move for move in steps if move.dst not in came_from]
    return (ahead or steps or turn.legal)[0]


def _evade(turn: Turn) -> AnyAction:
    """Move away from a piece that comes next to ours in the ring; otherwise walk along the back row."""
    hunters = [piece.place for piece in _pieces(turn) if piece.seat != turn.seat and piece.place in _RING]
    for move in _moves_without_attack(turn):
        if move.src in _RING and any(_are_adjacent(move.src, hunter) for hunter in hunters):
            return move
    return _walk_along_back_row(turn)


def _are_adjacent(one: Place, other: Place) -> bool:
    return abs(ord(one[0]) - ord(other[0])) + abs(int(one[1:]) - int(other[1:])) == 1


def _both_directions(*paths: tuple[Place, ...]) -> tuple[tuple[Place, Place], ...]:
    """List the steps along some paths, in both directions."""
    return tuple(step for path in paths for src, dst in pairwise(path) for step in ((src, dst), (dst, src)))


TWO_SQUARES_TRAP: Final = Trap(
    rule="two_squares",
    drawing=_CELLS,
    bombs=6,
    opponent=make_opponent(_walk_along_back_row),
    steps=_both_directions(("a1", "b1"), ("i1", "j1")),
    is_in=lambda rules: rules.two_squares is not UNSET and rules.two_squares > 0,
    without_other_rule=Overrides(more_squares="off"),
)
MORE_SQUARES_TRAP: Final = Trap(
    rule="more_squares",
    drawing=_CHASE,
    bombs=7,
    opponent=make_opponent(_evade),
    steps=_both_directions((*_RING, _RING[0])),
    is_in=lambda rules: rules.more_squares is not UNSET and rules.more_squares != "off",
    without_other_rule=Overrides(two_squares=0),
)
