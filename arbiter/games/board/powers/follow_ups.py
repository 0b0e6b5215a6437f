"""The powers that ask the same seat again within its turn: rage and rescue.

Rage: a berserker that wins an attack may attack again, up to four times in its turn (CW "Zorn").

It begins with its own number; each win adds one until the turn ends.

Rescue: a piece that reaches the opponent's back row may bring back a captured piece (US "Rettung").

The square is public.  The rank is revealed to the opponent only if the opponent knew it before.
"""

from typing import TYPE_CHECKING, Final

from arbiter.games.base import Addressed
from arbiter.games.board.position import LAST_RED_PIECE, SIDE_OF
from arbiter.games.board.powers.base import FollowUp, TurnState, refuse
from arbiter.games.ranks import Trait
from arbiter.games.ruleset import Power
from protocol.reasons import MustAttackOrStop, NotCaptured, NotFree
from protocol.words import SEATS, AnyAction, Move, Phase, Placed, Rescue, Seat, Stop

if TYPE_CHECKING:
    from arbiter.games.board.play import BoardPlay
    from arbiter.games.board.ruleset import BoardRules

_MAX_ATTACKS: Final = 4
_MAX_RESCUES: Final = 2


def _list_attacks(play: "BoardPlay", turn: TurnState) -> list[Move]:
    """List the attacks on neighbours that the two-squares rule allows; each attack of a rage is tested."""
    assert turn.square is not None  # noqa: S101 - the piece is still on the board
    board = play.tables.ruleset.board
    position = play.position
    return [
        board.moves[turn.square, square]
        for square in board.neighbours[turn.square]
        if position.own[1 - turn.side] & board.bit[square]
        and not position.two_squares.forbids(turn.side, turn.piece, board.borders[turn.square, square])
    ]


def _turn_in_progress(play: "BoardPlay") -> TurnState:
    assert play.turn is not None  # noqa: S101 - the phase is reached within a turn only
    return play.turn


class RageFollowUp(FollowUp):
    phase: Phase = "rage"
    before_repetition = True

    def is_due(self, play: "BoardPlay", turn: TurnState) -> bool:
        """Return True if the turn's piece rages and can attack once more; only then is the player asked."""
        return (
            turn.square is not None
            and 0 < turn.attacks < _MAX_ATTACKS
            and play.position.rank_of(turn.piece).has(Trait.RAGER)
            and bool(_list_attacks(play, turn))
        )


class RageAttack(Power["BoardPlay"]):
    phase: Phase = "rage"
    action = Move
    trait = Trait.RAGER
    about = "rage"

    def list_actions(self, play: "BoardPlay", seat: Seat) -> list[AnyAction]:
        return [*_list_attacks(play, _turn_in_progress(play)), Stop()]

    def carry_out(self, play: "BoardPlay", seat: Seat, action: Move) -> tuple[Addressed, ...]:
        turn = _turn_in_progress(play)
        if action not in _list_attacks(play, turn):
            raise refuse(MustAttackOrStop())
        turn.borders |= play.tables.paths[action.src, action.dst].borders
        facts = play.fight(turn, action)
        play.continue_turn(turn)
        return facts


class _Stopping(Power["BoardPlay"]):
    """The refusal of a further question."""

    action = Stop

    def list_all(self, ruleset: "BoardRules") -> list[AnyAction]:
        return [Stop()]


class RageStop(_Stopping):
    phase: Phase = "rage"

    def carry_out(self, play: "BoardPlay", seat: Seat, action: Stop) -> tuple[Addressed, ...]:
        play.settle(_turn_in_progress(play))
        return ()


RAGE: Final = RageFollowUp()
RAGE_ATTACK: Final = RageAttack()
RAGE_STOP: Final = RageStop()


# --- rescue -------------------------------------------------------------------------------------------


def _list_captives(play: "BoardPlay", side: int) -> list[int]:
    """List the side's captured pieces that may return: first those of unknown rank, then as captured."""
    captives = [
        piece
        for piece in play.position.captured
        if (piece > LAST_RED_PIECE) == bool(side) and not play.position.rank_of(piece).has(Trait.IMMOVABLE)
    ]
    return sorted(captives, key=lambda piece: piece in play.shown)


def _list_free_squares(play: "BoardPlay", side: int) -> list[int]:
    """List the free squares of the side's half of the board."""
    board = play.tables.ruleset.board
    own = play.position.own
    half = board.size // 2
    return [square for square in board.squares(board.land & ~(own[0] | own[1])) if (square >= half) == bool(side)]


class RescueFollowUp(FollowUp):
    phase: Phase = "rescue"

    def is_due(self, play: "BoardPlay", turn: TurnState) -> bool:
        """Return True if the finished move earns a rescue and there is a piece to bring back and a square for it."""
        board = play.tables.ruleset.board
        side = turn.side
        if turn.square is None or play.position.runners[side] & board.bit[turn.square]:
            return False
        back_row = 0 if side else board.rows - 1
        return (
            turn.square // board.files == back_row
            and turn.src // board.files != back_row
            and turn.piece not in play.rescuers
            and play.rescued[side] < _MAX_RESCUES
            and bool(_list_captives(play, side))
            and bool(_list_free_squares(play, side))
        )


class RescuePiece(Power["BoardPlay"]):
    phase: Phase = "rescue"
    action = Rescue
    about = "rescue"

    def list_actions(self, play: "BoardPlay", seat: Seat) -> list[AnyAction]:
        side = SIDE_OF[seat]
        names = play.tables.ruleset.board.names
        ranks = dict.fromkeys(play.position.rank_id(piece) for piece in _list_captives(play, side))
        squares = _list_free_squares(play, side)
        return [*(Rescue(rank, names[square]) for rank in ranks for square in squares), Stop()]

    def list_all(self, ruleset: "BoardRules") -> list[AnyAction]:
        board = ruleset.board
        half = [board.names[square] for square in range(board.size // 2) if square not in board.lake_squares]
        ranks = [rank.id for rank in ruleset.ranks if not rank.has(Trait.IMMOVABLE)]
        return [Rescue(rank, place) for rank in ranks for place in half]

    def carry_out(self, play: "BoardPlay", seat: Seat, action: Rescue) -> tuple[Addressed, ...]:
        side = SIDE_OF[seat]
        position = play.position
        captives = [piece for piece in _list_captives(play, side) if position.rank_id(piece) == action.rank]
        if not captives:
            raise refuse(NotCaptured(action.rank[:20]))
        names = play.tables.ruleset.board.names
        squares = {names[square]: square for square in _list_free_squares(play, side)}
        if action.dst not in squares:
            raise refuse(NotFree(action.dst[:20]))
        piece = captives[0]
        square = squares[action.dst]
        position.captured.remove(piece)
        position.put(side, piece, square)
        play.rescued[side] += 1
        play.rescuers.add(_turn_in_progress(play).piece)
        position.forget_repetition()
        known_rank = (play.reveal(seat, square),) if piece in play.shown else ()
        play.finish_turn(seat)
        return (Addressed(Placed(seat, action.dst), SEATS), *known_rank)


class DeclineRescue(_Stopping):
    phase: Phase = "rescue"

    def carry_out(self, play: "BoardPlay", seat: Seat, action: Stop) -> tuple[Addressed, ...]:
        play.finish_turn(seat)
        return ()


RESCUE: Final = RescueFollowUp()
RESCUE_PIECE: Final = RescuePiece()
RESCUE_DECLINED: Final = DeclineRescue()
