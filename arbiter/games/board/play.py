"""One board game in progress: whose turn it is, which actions are legal, and the facts that follow from them."""

from typing import Final

from arbiter.games.base import Addressed, Copied, IllegalAction, Outcome
from arbiter.games.board.deployments import check_deployment
from arbiter.games.board.diagram import PlacedPiece
from arbiter.games.board.position import LAST_RED_PIECE, NO_THREAT, SIDE_OF, Position, Tables
from arbiter.games.board.powers.base import TurnState
from arbiter.games.fights import FightResult
from protocol import reasons
from protocol.words import (
    BLUE,
    OPPONENT,
    RED,
    SEATS,
    AnyAction,
    Attacked,
    Deploy,
    Deployed,
    Move,
    Moved,
    Phase,
    Removed,
    Revealed,
    Seat,
)

_NEXT_TO_ACT: Final = {seat: (OPPONENT[seat],) for seat in SEATS}
_ATTACKER_STAYS: Final = (FightResult.ATTACKER, FightResult.FLAG)


class BoardPlay(Copied):
    """A board game in progress."""

    __slots__ = (
        "_deployments",
        "first",
        "opening",
        "outcome",
        "phase",
        "plies",
        "position",
        "quiet_plies",
        "rescued",
        "rescuers",
        "shown",
        "tables",
        "to_act",
        "turn",
    )

    def __init__(self, tables: Tables, first: Seat) -> None:
        self.tables = tables
        self.position = Position(tables)
        self.first: Seat = first
        self.to_act: tuple[Seat, ...] = SEATS
        self.phase: Phase = "setup"
        self.outcome: Outcome | None = None
        self.plies = 0
        self.quiet_plies = 0  # plies since the last attack
        self.turn: TurnState | None = None  # the turn in progress, if the seat is asked again within it
        self.shown: set[int] = set()  # the pieces whose rank was revealed to the opponent
        self.rescued = [0, 0]  # rescues of each side
        self.rescuers: set[int] = set()  # the pieces that have rescued
        self.opening: tuple[Addressed, ...] = ()
        self._deployments: dict[Seat, tuple[PlacedPiece, ...]] = {}
        if tables.ruleset.position is not None:  # each player gets the ranks of its own pieces
            pieces = tables.ruleset.position.pieces
            for seat in SEATS:
                self._deployments[seat] = tuple(piece for piece in pieces if piece.seat == seat)
            names = tables.ruleset.board.names
            ranks = [
                Addressed(Revealed(seat, names[piece.square], piece.rank), SEATS if piece.is_known else (seat,))
                for seat in SEATS
                for piece in self._deployments[seat]
            ]
            self.opening = (*self._begin(), *ranks)
            self.shown.update(self.position.board[piece.square] for piece in pieces if piece.is_known)

    # --- the setup phase --------------------------------------------------------------------------

    def _begin(self) -> tuple[Addressed, ...]:
        position = self.position
        for side, seat in enumerate(SEATS):
            for number, placed in enumerate(self._deployments[seat], start=1):
                piece = side * LAST_RED_PIECE + number
                position.rank[piece] = self.tables.index[placed.rank]
                position.put(side, piece, placed.square)
        position.chases.begin(position.board)
        self.phase = "turn"
        self.to_act = (self.first,)
        self.end(self._ending_in_turn() or self._ending_by_moves(self.first))
        names = self.tables.ruleset.board.names
        return tuple(
            Addressed(Deployed(seat, [names[piece.square] for piece in self._deployments[seat]]), SEATS)
            for seat in SEATS
        )

    # --- actions ----------------------------------------------------------------------------------

    def legal_actions(self, seat: Seat) -> list[AnyAction]:
        """List the legal actions of a seat; empty in the setup phase and when the seat is not to act."""
        if seat not in self.to_act or self.phase == "setup":
            return []
        actions: list[AnyAction] = []
        if self.phase == "turn":
            actions += self.position.legal_moves(SIDE_OF[seat])
        for power in self.tables.ruleset.powers:
            if power.phase == self.phase:
                actions += power.list_actions(self, seat)
        return actions

    def act(self, seat: Seat, action: AnyAction) -> tuple[Addressed, ...]:
        """Carry out an action and return the facts that follow from it.

        Raises IllegalAction and then changes nothing.
        """
        if seat not in self.to_act:
            raise IllegalAction("turn", reasons.NotOnTurn(seat))
        if type(action) is Move and self.phase == "turn":
            return self._move(seat, action)
        if type(action) is Deploy and self.phase == "setup":
            self._deployments[seat] = check_deployment(self.tables.ruleset, seat, action)
            if len(self._deployments) == len(SEATS):
                return self._begin()
            self.to_act = (OPPONENT[seat],)
            return ()
        for power in self.tables.ruleset.powers:
            if type(action) is power.action and self.phase == power.phase:
                return power.carry_out(self, seat, action)
        raise IllegalAction("turn", reasons.WrongPhase(str(action.__struct_config__.tag), self.phase))

    def _move(self, seat: Seat, action: Move) -> tuple[Addressed, ...]:
        tables = self.tables
        position = self.position
        side = SIDE_OF[seat]
        path = tables.paths.get((action.src, action.dst))
        if path is None:
            raise position.explain(seat, side, action)
        src, dst, between, borders, moved = path
        bit = tables.bit
        own = position.own
        if (
            not position.movers[side] & bit[src]
            or own[side] & bit[dst]
            or (between and (not position.runners[side] & bit[src] or between & (own[0] | own[1])))
        ):
            raise position.explain(seat, side, action)
        board = position.board
        piece = board[src]
        two_squares = position.two_squares
        if two_squares.common[side] and two_squares.forbids(side, piece, borders):
            raise IllegalAction(
                "two_squares",
                reasons.BreaksTwoSquares(action.src, action.dst),
            )
        if board[dst]:
            turn = TurnState(seat, side, piece, src, src, borders)
            self.plies += 1
            facts = self.fight(turn, action)
            self.continue_turn(turn)
            return facts
        chases = position.chases
        threat = position.threat(side, dst)
        move = (piece, src, dst)
        if threat and chases.forbids(side, move, threat, board):
            raise IllegalAction(
                "more_squares",
                reasons.BreaksMoreSquares(action.src, action.dst),
            )
        position.shift(side, src, dst)
        two_squares.record(side, piece, borders)
        chases.record_move(side, move, threat, board)
        self.plies += 1
        self.quiet_plies += 1
        if not (tables.ruleset.follow_ups and self._ask_again(TurnState(seat, side, piece, src, dst, borders))):
            self.finish_turn(seat)
        return moved[side]

    def fight(self, turn: TurnState, action: Move) -> tuple[Addressed, ...]:
        """Attack with the turn's piece; its number has risen by its wins in this turn.

        The facts: the attack, the revealed ranks, the removed pieces, the winner's move.  Taking the flag ends the
        game.
        """
        seat = turn.seat
        side = turn.side
        position = self.position
        src, dst = self.tables.paths[action.src, action.dst][:2]
        attacker, defender = position.rank[turn.piece], position.rank[position.board[dst]]
        ruleset = self.tables.ruleset
        result = self.tables.fight(attacker, defender, turn.wins)
        attacker_stays = result in _ATTACKER_STAYS
        defender_stays = result is FightResult.DEFENDER
        facts = [Addressed(Attacked(seat, action.src, action.dst), SEATS), self.reveal(seat, src)]
        if ruleset.disclosure(ruleset.ranks[attacker], ruleset.ranks[defender]):
            facts.append(self.reveal(OPPONENT[seat], dst))
        if not attacker_stays:
            facts.append(Addressed(Removed(seat, action.src), SEATS))
        if not defender_stays:
            facts.append(Addressed(Removed(OPPONENT[seat], action.dst), SEATS))
            position.take(1 - side, dst)
        if attacker_stays:
            facts.append(Addressed(Moved(seat, action.src, action.dst), SEATS))
            position.shift(side, src, dst)
            turn.square = dst
            turn.wins += 1
        else:
            position.take(side, src)
            turn.square = None
        turn.attacks += 1
        self.quiet_plies = 0
        if result is FightResult.FLAG:
            self.take_flag(seat, action.dst)
        return tuple(facts)

    def reveal(self, owner: Seat, square: int) -> Addressed:
        """Reveal the rank of the piece on a square to the owner's opponent."""
        piece = self.position.board[square]
        self.shown.add(piece)
        place = self.tables.ruleset.board.names[square]
        return Addressed(Revealed(owner, place, self.position.rank_id(piece)), (OPPONENT[owner],))

    # --- the end of a turn ------------------------------------------------------------------------

    def continue_turn(self, turn: TurnState) -> None:
        """Continue after an attack: end the game, ask the same seat again, or finish the turn."""
        self.end(self._ending_in_turn())
        if self.outcome is None and not self._ask_again(turn, before_repetition=True):
            self.settle(turn)

    def settle(self, turn: TurnState) -> None:
        """Record a turn with attacks for the repetition rules; finish it unless the seat is asked again."""
        position = self.position
        side = turn.side
        dst = turn.square
        position.two_squares.record(side, turn.piece, turn.borders)
        if dst is None:
            position.chases.record_capture(side, None, NO_THREAT, position.board)
        else:
            move = (turn.piece, turn.src, dst)
            position.chases.record_capture(side, move, position.threat(side, dst), position.board)
        if not self._ask_again(turn):
            self.finish_turn(turn.seat)

    def _ask_again(self, turn: TurnState, *, before_repetition: bool = False) -> bool:
        for follow_up in self.tables.ruleset.follow_ups:
            if follow_up.before_repetition == before_repetition and follow_up.is_due(self, turn):
                self.phase = follow_up.phase
                self.to_act = (turn.seat,)
                self.turn = turn
                return True
        return False

    def spend_turn(self, seat: Seat, *, attacks: bool, captures: bool = False) -> None:
        """Finish a turn that was used for a power instead of a move."""
        position = self.position
        side = SIDE_OF[seat]
        self.plies += 1
        self.quiet_plies = 0 if attacks else self.quiet_plies + 1
        position.two_squares.forget(side)
        if captures:
            position.chases.record_capture(side, None, NO_THREAT, position.board)
        else:
            position.chases.record_other(side, position.board)
        self.finish_turn(seat)

    def finish_turn(self, seat: Seat) -> None:
        """Pass the turn to the opponent, unless the game is over."""
        self.phase = "turn"
        self.turn = None
        if self.outcome is None:
            self.to_act = _NEXT_TO_ACT[seat]
            ending: Outcome | None = None  # a flag taken in this turn has ended the game before
            ruleset = self.tables.ruleset
            red, blue = self.position.movers
            if not (red and blue):
                ending = self._ending_in_turn()
            elif not self.position.has_move(1 - SIDE_OF[seat]):
                ending = self._ending_by_moves(OPPONENT[seat])
            elif 0 < ruleset.no_attack_plies <= self.quiet_plies:
                ending = Outcome(None, "no_attack_limit", reasons.NoAttack(self.quiet_plies))
            elif 0 < ruleset.max_plies <= self.plies:
                ending = Outcome(None, "ply_limit", reasons.PlyLimit(self.plies))
            if ending:
                self.end(ending)

    # --- endings, in this order: flag, pieces gone, no moves, no attack, too many plies -----------------

    def _ending_in_turn(self) -> Outcome | None:
        """End the game at once if a side has no movable piece left (O2000 "Spielende")."""
        red, blue = self.position.movers
        if red and blue:
            return None
        if not red and not blue:
            return Outcome(None, "both_immobile", reasons.NoPiecesLeft())
        winner: Seat = RED if red else BLUE
        return Outcome(winner, "no_pieces", reasons.NoPieces(OPPONENT[winner]))

    def _ending_by_moves(self, seat: Seat) -> Outcome | None:
        """Let a seat lose that is to move and cannot; if both sides are blocked on the board, it is a draw."""
        position = self.position
        if position.has_move(SIDE_OF[seat]):
            return None
        if not any(position.can_step(side) for side in (0, 1)):
            return Outcome(None, "both_immobile", reasons.AllBlocked())
        return Outcome(OPPONENT[seat], "no_moves", reasons.NoMoves(seat))

    def take_flag(self, seat: Seat, place: str) -> None:
        """End the game: the seat has taken the flag on a square."""
        self.end(Outcome(seat, "flag_taken", reasons.FlagTaken(seat, place)))

    def end(self, outcome: Outcome | None) -> None:
        """End the game if there is an outcome and the game is not over yet."""
        if outcome is not None and self.outcome is None:
            self.outcome = outcome
            self.phase = "turn"
            self.to_act = ()
            self.turn = None

    def __repr__(self) -> str:
        return f"<BoardPlay {self.tables.ruleset.name} ply {self.plies} {self.position!r}>"
