"""Plays by a program of the UCC programming competition of 2012.  README.md tells what it is told and answers."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from protocol.bot import Game, Turn
from protocol.codec import quote
from protocol.messages import Over
from protocol.words import OPPONENT, Place, Seat
from sample_bots.bridges import BRIDGES
from sample_bots.bridges.bridge import Answer, Bridge, play
from sample_bots.bridges.child import Child, Failure
from sample_bots.bridges.table import CLASSIC, SIDE, Piece, Ply, Point

ROWS: Final = 4  # of a deployment
COLOURS: Final = ("RED", "BLUE")  # who begins, and who does not
NAMES: Final = ("player", "opponent")  # the program's own in the last line, and whomever it plays
SIGNS: Final = dict(zip(CLASSIC, "123456789sBF", strict=True))
HIDDEN: Final = "?"
RANKS: Final = {sign.upper(): rank for rank, sign in SIGNS.items()}
DIRECTIONS: Final = {"UP": (0, -1), "DOWN": (0, 1), "LEFT": (-1, 0), "RIGHT": (1, 0)}
MOVE: Final = re.compile(
    rf"(?P<x>\d{{1,2}})\s+(?P<y>\d{{1,2}})\s+(?P<direction>{'|'.join(DIRECTIONS)})(\s+(?P<steps>\d{{1,2}}))?", re.ASCII
)
GIVING_UP: Final = ("SURRENDER", "NO_MOVE")

# How the last line calls an ending, and whether a move made it: then it is said of the winner, and of the loser if not.
RESULTS: Final = {
    "flag_taken": ("VICTORY", True),
    "no_pieces": ("VICTORY", True),
    "no_moves": ("VICTORY", True),
    "both_immobile": ("DRAW", True),
    "agreed": ("DRAW", True),
    "no_attack_limit": ("DRAW_DEFAULT", True),
    "ply_limit": ("DRAW_DEFAULT", True),
    "resigned": ("SURRENDER", False),
    "illegal_setup": ("BAD_SETUP", False),
    "void": ("INTERNAL_ERROR", True),
}
FORFEIT: Final = ("ILLEGAL", False)


class Ucc(Bridge):
    """One game of such a program."""

    name = "ucc-bridge"
    description = BRIDGES[name].description

    def __init__(self, game: Game, child: Child, *, repairs: bool) -> None:
        super().__init__(game, child, repairs=repairs)
        self._said = ""  # the program's own line of its last move

    def set_up(self) -> dict[Place, str]:
        """Ask for four rows, the top one first."""
        self.child.say(f"{COLOURS[not self.begins]} {NAMES[1]} {SIDE} {SIDE}")
        top = 0 if self.begins else SIDE - ROWS
        return dict(entry for y in range(top, top + ROWS) for entry in self._row(y))

    def _row(self, y: int) -> Iterator[tuple[Place, str]]:
        row = self.child.hear()
        if len(row) != SIDE:
            raise Failure(f"the program set up {quote(row.encode())}: a row is {SIDE} characters")
        for x, sign in enumerate(row.upper()):
            if sign in RANKS:
                yield self.table.places[Point(x, y)], RANKS[sign]
            elif sign != ".":
                raise Failure(f"the program set up {quote(row.encode())}: {sign!a} is no piece")

    def ask(self, turn: Turn) -> Answer | None:
        """Tell what came of its own move, the opponent's move and the board, and ask for a move."""
        lines = [self._outcome(ply) for ply in self.table.play(turn.news)]
        self.child.say(*(lines or ["START"]), *self._board())
        text = self.child.hear()
        return None if text.upper() in GIVING_UP else _read(text)

    def played(self, answer: Answer) -> None:
        """Remember the line that its outcome will be added to."""
        self._said = answer.text or _written(answer.src, answer.dst)

    def last_words(self, over: Over) -> Iterable[str]:
        """Tell the last moves and the result."""
        yield from (self._outcome(ply) for ply in self.table.play(over.news))
        yield f"QUIT {self._result(over)}"

    # --- lines

    def _outcome(self, ply: Ply) -> str:
        said = self._said if ply.seat == self.game.seat else _written(ply.src, ply.dst)
        return f"{said} {_outcome_words(ply)}"

    def _board(self) -> Iterator[str]:
        for y in range(SIDE):
            yield "".join(self._sign(Point(x, y)) for x in range(SIDE))

    def _sign(self, point: Point) -> str:
        piece = self.table.pieces.get(point)
        if piece is None:
            return "+" if point in self.table.lakes else "."
        return _sign_of(piece) if piece.seat == self.game.seat else "#"

    def _result(self, over: Over) -> str:
        word, by_move = RESULTS.get(over.ending, FORFEIT)
        if over.result in ("win", "loss"):
            is_own = (over.result == "win") == by_move
        else:
            is_own = self.table.to_move != self.game.seat
        colour = COLOURS[self.begins != is_own]
        turn = (self.table.plies + (1 if by_move else 2)) // 2
        values = " ".join(str(self._value(seat)) for seat in (self.table.first, OPPONENT[self.table.first]))
        return f"{NAMES[not is_own]} {colour} {word} {turn} {values}"

    def _value(self, seat: Seat) -> int:
        """Add up what a side has left: a marshal is worth 10, a spy 1, a bomb and the flag nothing."""
        worth = {rank.id: rank.rank or 0 for rank in self.game.rules.ranks}
        lost = sum(worth.get(piece.rank, 0) for piece in self.table.fallen if piece.seat == seat)
        return sum(worth[rank] * count for rank, count in self.game.rules.army.items()) - lost


def _read(text: str) -> Answer:
    """Read `X Y DIRECTION [N]`.  Raises Failure."""
    found = MOVE.fullmatch(text.upper())
    if found is None:
        raise Failure(f"the program answered {quote(text.encode())}: X Y UP|DOWN|LEFT|RIGHT [N] would be right")
    x, y, steps = (int(found[name] or 1) for name in ("x", "y", "steps"))
    right, down = DIRECTIONS[found["direction"]]
    return Answer(text, Point(x, y), Point(x + steps * right, y + steps * down))


def _written(src: Point, dst: Point) -> str:
    """Write a move as a program of theirs would."""
    steps = abs(dst.x - src.x) + abs(dst.y - src.y)
    way = ((dst.x - src.x) // steps, (dst.y - src.y) // steps)
    direction = next(name for name, step in DIRECTIONS.items() if step == way)
    return f"{src.x} {src.y} {direction}" + (f" {steps}" if steps > 1 else "")


def _outcome_words(ply: Ply) -> str:
    if ply.defender is None:
        return "OK"
    signs = f"{_sign_of(ply.attacker)} {_sign_of(ply.defender)}"
    if ply.defender not in ply.fallen:
        return f"DIES {signs}"
    if ply.attacker in ply.fallen:
        return f"BOTHDIE {signs}"
    return "VICTORY_FLAG" if ply.defender.rank == "flag" else f"KILLS {signs}"


def _sign_of(piece: Piece) -> str:
    return HIDDEN if piece.rank is None else SIGNS[piece.rank]


if __name__ == "__main__":
    play(Ucc)
