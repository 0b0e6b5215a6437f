"""The bridge for programs of the Infinibattle of 2023.  README.md describes their protocol."""

from typing import Final, TypeVar

import msgspec
from msgspec import Struct

from protocol.bot import Game, Turn
from protocol.codec import quote
from protocol.words import Place, Seat
from sample_bots.bridges import BRIDGES
from sample_bots.bridges.bridge import BridgePlayer, ProgramMove, run_bridge
from sample_bots.bridges.child import ChildProgram, ProgramFailure
from sample_bots.bridges.program_board import SIZE, PlayedMove, Point, ProgramPiece

READY: Final = "bot-start"
HIDDEN: Final = "?"
T = TypeVar("T")


class PieceSetup(Struct, frozen=True, rename="pascal"):
    rank: str
    position: Point


class SetupMessage(Struct, frozen=True, rename="pascal"):
    """The program's deployment."""

    pieces: list[PieceSetup]


class MoveMessage(Struct, frozen=True, rename={"src": "From", "dst": "To"}):
    """A move, of the program or in a state."""

    src: Point
    dst: Point


class InitMessage(Struct, frozen=True, rename="pascal"):
    """The first line for the program."""

    you: int
    """The program's number."""
    available_pieces: list[str]


class SquareState(Struct, frozen=True, rename="pascal"):
    """A square and the piece on it."""

    rank: str | None
    owner: int | None
    """The player's number."""
    is_water: bool
    coordinate: Point


class Fighter(Struct, frozen=True, rename="pascal"):
    """A piece in a fight."""

    rank: str
    player: int


class BattleResult(Struct, frozen=True, rename="pascal"):
    """The outcome of an attack."""

    winner: int | None
    """None if both pieces left."""
    attacker: Fighter
    defender: Fighter
    position: Point


class StateMessage(Struct, frozen=True, rename="pascal"):
    """The board, the player who moves next, and the last move."""

    board: list[SquareState]
    active_player: int
    battle_result: BattleResult | None
    last_move: MoveMessage | None
    turn_number: int


class Infinibattle(BridgePlayer):
    """One game of an Infinibattle program."""

    name = "infinibattle-bridge"
    description = BRIDGES[name].description

    def __init__(self, game: Game, child: ChildProgram, *, repairs: bool) -> None:
        super().__init__(game, child, repairs=repairs)
        self._has_sent_board = False

    def ask_deployment(self) -> dict[Place, str]:
        """Wait until the program is ready, send its army, and ask for its deployment."""
        greeting = self.child.receive()
        if greeting.lower() != READY:
            raise ProgramFailure(f"the program began with {quote(greeting.encode())} in place of {READY}")
        army = self.game.rules.army
        pieces = [rank.id.capitalize() for rank in self.game.rules.ranks for _ in range(army.get(rank.id, 0))]
        self.child.send(_encode(InitMessage(self._number(self.game.seat), pieces)))
        deployment = {}
        for piece in _decode(self.child.receive(), SetupMessage).pieces:
            place = self.board.places.get(piece.position)
            if place is None:
                raise ProgramFailure(
                    f"the program set up a piece on {piece.position.x}, {piece.position.y}, off the board"
                )
            deployment[place] = piece.rank.lower()
        return deployment

    def ask_move(self, turn: Turn) -> ProgramMove:
        """Send the board after each new move (the first time also before any move), and ask for a move."""
        if not self._has_sent_board:
            self.child.send(_encode(self._state(None)))
            self._has_sent_board = True
        self.child.send(*(_encode(self._state(move)) for move in self.board.play(turn.news)))
        text = self.child.receive()
        move = _decode(text, MoveMessage)
        return ProgramMove(text, move.src, move.dst)

    # --- messages ---------------------------------------------------------------------------------

    def _state(self, move: PlayedMove | None) -> StateMessage:
        """Return the state after a move, or before the first."""
        battle = None
        if move is not None and move.defender is not None:
            winners = [piece.seat for piece in (move.attacker, move.defender) if piece not in move.fallen]
            battle = BattleResult(
                winner=self._number(winners[0]) if len(winners) == 1 else None,
                attacker=self._fighter(move.attacker),
                defender=self._fighter(move.defender),
                position=move.dst,
            )
        return StateMessage(
            board=[self._square(Point(x, y)) for y in range(SIZE) for x in range(SIZE)],
            active_player=self._number(self.board.to_move),
            battle_result=battle,
            last_move=None if move is None else MoveMessage(move.src, move.dst),
            turn_number=self.board.plies,
        )

    def _square(self, point: Point) -> SquareState:
        piece = self.board.pieces.get(point)
        return SquareState(
            rank=None if piece is None else _rank(piece),
            owner=None if piece is None else self._number(piece.seat),
            is_water=point in self.board.lakes,
            coordinate=point,
        )

    def _fighter(self, piece: ProgramPiece) -> Fighter:
        return Fighter(_rank(piece), self._number(piece.seat))

    def _number(self, seat: Seat) -> int:
        """Return the number of a player; 0 moves first."""
        return int(seat != self.board.first)


def _rank(piece: ProgramPiece) -> str:
    return HIDDEN if piece.rank is None else piece.rank.capitalize()


def _encode(message: Struct) -> str:
    return msgspec.json.encode(message).decode()


def _decode(text: str, kind: type[T]) -> T:
    """Decode a line; unknown fields are skipped.  Raises ProgramFailure."""
    try:
        return msgspec.json.decode(text, type=kind)
    except (ValueError, RecursionError) as error:
        raise ProgramFailure(f"the program answered {quote(text.encode())}: {error}") from None


if __name__ == "__main__":
    run_bridge(Infinibattle)
