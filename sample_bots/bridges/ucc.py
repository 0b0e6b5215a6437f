"""The bridge for programs of the UCC programming competition of 2012.  README.md describes their protocol."""

import re
from collections.abc import Iterable
from typing import Final

from protocol.bot import Game, Turn
from protocol.codec import quote
from protocol.messages import Over
from protocol.words import OPPONENT, Place, Seat
from sample_bots.bridges import BRIDGES
from sample_bots.bridges.bridge import BridgePlayer, ProgramMove, run_bridge
from sample_bots.bridges.child import ChildProgram, ProgramFailure
from sample_bots.bridges.program_board import CLASSIC_RANKS, SIZE, PlayedMove, Point, ProgramPiece

ROWS: Final = 4  # of a deployment
COLOURS: Final = ("RED", "BLUE")  # of the player who moves first, and of the other
NAMES: Final = ("player", "opponent")  # of the program itself and of its opponent, in the last line
CHARACTERS: Final = dict(zip(CLASSIC_RANKS, "123456789sBF", strict=True))
HIDDEN: Final = "?"
RANKS: Final = {character.upper(): rank for rank, character in CHARACTERS.items()}
DIRECTIONS: Final = {"UP": (0, -1), "DOWN": (0, 1), "LEFT": (-1, 0), "RIGHT": (1, 0)}
MOVE: Final = re.compile(
    rf"(?P<x>\d{{1,2}})\s+(?P<y>\d{{1,2}})\s+(?P<direction>{'|'.join(DIRECTIONS)})(\s+(?P<steps>\d{{1,2}}))?", re.ASCII
)
GIVING_UP: Final = ("SURRENDER", "NO_MOVE")

# For each ending: its word in the last line, and True if a move ended the game.
# The last line is about the winner if a move ended the game, else about the loser.
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


class Ucc(BridgePlayer):
    """One game of a UCC program."""

    name = "ucc-bridge"
    description = BRIDGES[name].description

    def __init__(self, game: Game, child: ChildProgram, *, repairs: bool) -> None:
        super().__init__(game, child, repairs=repairs)
        self._last_answer = ""  # the program's own line of its last move

    def ask_deployment(self) -> dict[Place, str]:
        """Ask for four rows, the top row first."""
        self.child.send(f"{COLOURS[not self.moves_first]} {NAMES[1]} {SIZE} {SIZE}")
        top = 0 if self.moves_first else SIZE - ROWS
        deployment = {}
        for y in range(top, top + ROWS):
            row = self.child.receive()
            if len(row) != SIZE:
                raise ProgramFailure(f"the program set up {quote(row.encode())}: a row has {SIZE} characters")
            for x, character in enumerate(row.upper()):
                if character in RANKS:
                    deployment[self.board.places[Point(x, y)]] = RANKS[character]
                elif character != ".":
                    raise ProgramFailure(f"the program set up {quote(row.encode())}: {character!a} is no piece")
        return deployment

    def ask_move(self, turn: Turn) -> ProgramMove | None:
        """Send the outcome of the program's move, the opponent's move and the board, and ask for a move."""
        lines = [self._describe(move) for move in self.board.play(turn.news)]
        rows = ["".join(self._character_at(Point(x, y)) for x in range(SIZE)) for y in range(SIZE)]
        self.child.send(*(lines or ["START"]), *rows)
        text = self.child.receive()
        return None if text.upper() in GIVING_UP else _parse_move(text)

    def note_move(self, move: ProgramMove) -> None:
        """Keep the line to which the outcome will be added."""
        self._last_answer = move.text or _write_move(move.src, move.dst)

    def closing_lines(self, over: Over) -> Iterable[str]:
        """Return the last moves and the result."""
        yield from (self._describe(move) for move in self.board.play(over.news))
        yield f"QUIT {self._result(over)}"

    # --- lines ------------------------------------------------------------------------------------

    def _describe(self, move: PlayedMove) -> str:
        """Return the line of a move with its outcome."""
        line = self._last_answer if move.seat == self.game.seat else _write_move(move.src, move.dst)
        return f"{line} {_describe_outcome(move)}"

    def _character_at(self, point: Point) -> str:
        piece = self.board.pieces.get(point)
        if piece is None:
            return "+" if point in self.board.lakes else "."
        return _character(piece) if piece.seat == self.game.seat else "#"

    def _result(self, over: Over) -> str:
        word, by_move = RESULTS.get(over.ending, FORFEIT)
        if over.result in ("win", "loss"):
            is_own = (over.result == "win") == by_move
        else:
            is_own = self.board.to_move != self.game.seat
        colour = COLOURS[self.moves_first != is_own]
        turn = (self.board.plies + (1 if by_move else 2)) // 2
        values = " ".join(str(self._remaining_value(seat)) for seat in (self.board.first, OPPONENT[self.board.first]))
        return f"{NAMES[not is_own]} {colour} {word} {turn} {values}"

    def _remaining_value(self, seat: Seat) -> int:
        """Add up a side's remaining pieces: a marshal counts 10, a spy 1, bombs and the flag 0."""
        values = {rank.id: rank.rank or 0 for rank in self.game.rules.ranks}
        lost = sum(values.get(piece.rank, 0) for piece in self.board.fallen if piece.seat == seat)
        return sum(values[rank] * count for rank, count in self.game.rules.army.items()) - lost


def _parse_move(text: str) -> ProgramMove:
    """Parse `X Y DIRECTION [N]`.  Raises ProgramFailure."""
    found = MOVE.fullmatch(text.upper())
    if found is None:
        raise ProgramFailure(f"the program answered {quote(text.encode())} in place of X Y UP|DOWN|LEFT|RIGHT [N]")
    x, y, steps = (int(found[name] or 1) for name in ("x", "y", "steps"))
    right, down = DIRECTIONS[found["direction"]]
    return ProgramMove(text, Point(x, y), Point(x + steps * right, y + steps * down))


def _write_move(src: Point, dst: Point) -> str:
    """Write a move as a program would write it."""
    steps = abs(dst.x - src.x) + abs(dst.y - src.y)
    unit = ((dst.x - src.x) // steps, (dst.y - src.y) // steps)
    direction = next(name for name, step in DIRECTIONS.items() if step == unit)
    return f"{src.x} {src.y} {direction}" + (f" {steps}" if steps > 1 else "")


def _describe_outcome(move: PlayedMove) -> str:
    if move.defender is None:
        return "OK"
    characters = f"{_character(move.attacker)} {_character(move.defender)}"
    if move.defender not in move.fallen:
        return f"DIES {characters}"
    if move.attacker in move.fallen:
        return f"BOTHDIE {characters}"
    return "VICTORY_FLAG" if move.defender.rank == "flag" else f"KILLS {characters}"


def _character(piece: ProgramPiece) -> str:
    return HIDDEN if piece.rank is None else CHARACTERS[piece.rank]


if __name__ == "__main__":
    run_bridge(Ucc)
