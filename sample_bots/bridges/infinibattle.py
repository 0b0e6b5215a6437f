"""Plays by a program of the Infinibattle of 2023.  README.md tells what it is told and answers."""

from typing import Final, TypeVar

import msgspec
from msgspec import Struct

from protocol.bot import Game, Turn
from protocol.codec import quote
from protocol.words import Place, Seat
from sample_bots.bridges import BRIDGES
from sample_bots.bridges.bridge import Answer, Bridge, play
from sample_bots.bridges.child import Child, Failure
from sample_bots.bridges.table import SIDE, Piece, Ply, Point

READY: Final = "bot-start"
HIDDEN: Final = "?"
T = TypeVar("T")


class Placed(Struct, frozen=True, rename="pascal"):
    """A piece of a deployment."""

    rank: str
    position: Point


class Setup(Struct, frozen=True, rename="pascal"):
    """A deployment."""

    pieces: list[Placed]


class Step(Struct, frozen=True, rename={"src": "From", "dst": "To"}):
    """A move."""

    src: Point
    dst: Point


class Init(Struct, frozen=True, rename="pascal"):
    """The first line: which player the program is, and its army."""

    you: int
    available_pieces: list[str]


class Cell(Struct, frozen=True, rename="pascal"):
    """A square and what stands there; `owner` is the player's number."""

    rank: str | None
    owner: int | None
    is_water: bool
    coordinate: Point


class Fighter(Struct, frozen=True, rename="pascal"):
    """A piece in a fight."""

    rank: str
    player: int


class Battle(Struct, frozen=True, rename="pascal"):
    """What came of an attack; nobody is the winner where both fell."""

    winner: int | None
    attacker: Fighter
    defender: Fighter
    position: Point


class State(Struct, frozen=True, rename="pascal"):
    """The board, who is to move, and what the last move was."""

    board: list[Cell]
    active_player: int
    battle_result: Battle | None
    last_move: Step | None
    turn_number: int


class Infinibattle(Bridge):
    """One game of such a program."""

    name = "infinibattle-bridge"
    description = BRIDGES[name].description

    def __init__(self, game: Game, child: Child, *, repairs: bool) -> None:
        super().__init__(game, child, repairs=repairs)
        self._has_seen_board = False

    def set_up(self) -> dict[Place, str]:
        """Wait until the program is ready, tell its army, and ask for its deployment."""
        greeting = self.child.hear()
        if greeting.lower() != READY:
            raise Failure(f"the program began with {quote(greeting.encode())}: {READY} would be right")
        army = self.game.rules.army
        ordered = [rank.id.capitalize() for rank in self.game.rules.ranks for _ in range(army.get(rank.id, 0))]
        self.child.say(_line(Init(self._player(self.game.seat), ordered)))
        return dict(self._placed(piece) for piece in _read(self.child.hear(), Setup).pieces)

    def _placed(self, piece: Placed) -> tuple[Place, str]:
        place = self.table.places.get(piece.position)
        if place is None:
            raise Failure(f"the program set up a piece on {piece.position.x}, {piece.position.y}, off the board")
        return place, piece.rank.lower()

    def ask(self, turn: Turn) -> Answer:
        """Tell the board after each move since it was asked, the first time before any move too; ask for a move."""
        if not self._has_seen_board:
            self.child.say(_line(self._state(None)))
            self._has_seen_board = True
        self.child.say(*(_line(self._state(ply)) for ply in self.table.play(turn.news)))
        text = self.child.hear()
        step = _read(text, Step)
        return Answer(text, step.src, step.dst)

    # --- lines

    def _state(self, ply: Ply | None) -> State:
        return State(
            board=[self._cell(Point(x, y)) for y in range(SIDE) for x in range(SIDE)],
            active_player=self._player(self.table.to_move),
            battle_result=None if ply is None or ply.defender is None else self._battle(ply, ply.defender),
            last_move=None if ply is None else Step(ply.src, ply.dst),
            turn_number=self.table.plies,
        )

    def _cell(self, point: Point) -> Cell:
        piece = self.table.pieces.get(point)
        return Cell(
            rank=None if piece is None else _rank(piece),
            owner=None if piece is None else self._player(piece.seat),
            is_water=point in self.table.lakes,
            coordinate=point,
        )

    def _battle(self, ply: Ply, defender: Piece) -> Battle:
        winners = [piece.seat for piece in (ply.attacker, defender) if piece not in ply.fallen]
        return Battle(
            winner=self._player(winners[0]) if len(winners) == 1 else None,
            attacker=self._fighter(ply.attacker),
            defender=self._fighter(defender),
            position=ply.dst,
        )

    def _fighter(self, piece: Piece) -> Fighter:
        return Fighter(_rank(piece), self._player(piece.seat))

    def _player(self, seat: Seat) -> int:
        """Return the number of a player; 0 begins."""
        return int(seat != self.table.first)


def _rank(piece: Piece) -> str:
    return HIDDEN if piece.rank is None else piece.rank.capitalize()


def _line(message: Struct) -> str:
    return msgspec.json.encode(message).decode()


def _read(text: str, kind: type[T]) -> T:
    """Read a line; fields that nobody asked for are skipped.  Raises Failure."""
    try:
        return msgspec.json.decode(text, type=kind)
    except (ValueError, RecursionError) as error:
        raise Failure(f"the program answered {quote(text.encode())}: {error}") from None


if __name__ == "__main__":
    play(Infinibattle)
