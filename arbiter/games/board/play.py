"""One board game in progress.  It knows everything and tells facts; it knows no clock and no process."""

from typing import Final, Self

from arbiter.errors import IllegalAction
from arbiter.games.base import Addressed, Outcome
from arbiter.games.board.diagram import PlacedPiece
from arbiter.games.board.endings import ending_after, ending_at_start, ending_in_turn
from arbiter.games.board.paths import BOTH
from arbiter.games.board.pieces import INDEX, NO_PIECES, SECOND_SEAT
from arbiter.games.board.position import Position
from arbiter.games.board.refusals import explain_move, repeats
from arbiter.games.board.setup import check_deployment
from arbiter.games.board.tables import Tables
from arbiter.games.board.turn import TurnState
from arbiter.games.fights import FightResult
from protocol.words import (
    OPPONENT,
    SEATS,
    AnyAction,
    AnyFact,
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

_ATTACKER_STAYS: Final = (FightResult.ATTACKER, FightResult.FLAG)


class BoardPlay(Position):
    """A board game under way.

    `shown` holds the pieces whose rank the opponent was told, `rescued` how many each seat has rescued,
    `rescuers` the pieces that did; `turn` is the turn that is not finished yet, if any.
    """

    __slots__ = (
        "_setups",
        "first",
        "opening",
        "outcome",
        "phase",
        "plies",
        "quiet_plies",
        "rescued",
        "rescuers",
        "shown",
        "to_act",
        "turn",
    )

    def __init__(self, tables: Tables, first: Seat) -> None:
        super().__init__(tables)
        ruleset = tables.ruleset
        self.first: Seat = first
        self.shown: set[int] = set()
        self.rescued = [0, 0]
        self.rescuers: set[int] = set()
        self.to_act: tuple[Seat, ...] = SEATS
        self.phase: Phase = "setup"
        self.turn: TurnState | None = None
        self.outcome: Outcome | None = None
        self.plies = 0
        self.quiet_plies = 0
        self.opening: tuple[Addressed, ...] = ()
        self._setups: dict[Seat, tuple[PlacedPiece, ...]] = {}
        if ruleset.position is not None:
            self._stand_as_given(ruleset.position)

    # --- the setup --------------------------------------------------------------------------------

    def _stand_as_given(self, position: tuple[PlacedPiece, ...]) -> None:
        for seat in SEATS:
            self._setups[seat] = tuple(standing for standing in position if standing.seat == seat)
        names = self.tables.ruleset.board.names
        shown = [
            Addressed(Revealed(standing.seat, names[standing.square], standing.rank), (standing.seat,))
            for seat in SEATS
            for standing in self._setups[seat]
        ]
        self.opening = (*self._begin(), *shown)

    def _deploy(self, seat: Seat, action: Deploy) -> tuple[Addressed, ...]:
        """Take a deployment; both are told once both are in."""
        self._setups[seat] = check_deployment(self.tables.ruleset, seat, action)
        if len(self._setups) < len(SEATS):
            self.to_act = (OPPONENT[seat],)
            return ()
        return self._begin()

    def _begin(self) -> tuple[Addressed, ...]:
        for me, seat in enumerate(SEATS):
            for number, standing in enumerate(self._setups[seat], start=1):
                piece = me * SECOND_SEAT + number
                self.rank[piece] = self.tables.index[standing.rank]
                self.put(me, piece, standing.square)
        self.chases.begin(self.board)
        self.phase, self.to_act = "turn", (self.first,)
        self.end(ending_at_start(self))
        names = self.tables.ruleset.board.names
        return tuple(
            Addressed(Deployed(seat, [names[standing.square] for standing in self._setups[seat]]), BOTH)
            for seat in SEATS
        )

    # --- what may be done -------------------------------------------------------------------------

    def legal(self, seat: Seat) -> list[AnyAction]:
        """List every action the rules allow the seat now; empty in the setup and off turn."""
        if seat not in self.to_act or self.phase == "setup":
            return []
        actions: list[AnyAction] = []
        if self.phase == "turn":
            actions += self.legal_moves(INDEX[seat])
        for power in self.tables.ruleset.powers:
            if power.phase == self.phase:
                actions += power.actions(self, seat)
        return actions

    # --- acts -------------------------------------------------------------------------------------

    def act(self, seat: Seat, action: AnyAction) -> tuple[Addressed, ...]:
        """Carry out an action and return what happened.

        Raises IllegalAction and changes nothing.
        """
        if seat not in self.to_act:
            raise IllegalAction("turn", f"it is not {seat}'s turn")
        if type(action) is Move and self.phase == "turn":
            return self._move(seat, action)
        if type(action) is Deploy and self.phase == "setup":
            return self._deploy(seat, action)
        for power in self.tables.ruleset.powers:
            if type(action) is power.action and self.phase == power.phase:
                return power.carry_out(self, seat, action)
        wanted = action.__struct_config__.tag
        raise IllegalAction("turn", f"{wanted!r} is not among the actions of phase {self.phase!r} here")

    def _move(self, seat: Seat, action: Move) -> tuple[Addressed, ...]:
        tables, me = self.tables, INDEX[seat]
        line = tables.paths.get((action.src, action.dst))
        if line is None:
            raise explain_move(self, seat, action)
        src, dst, between, borders, moved = line
        bit, own = tables.bit, self.own
        if (
            not self.movers[me] & bit[src]
            or own[me] & bit[dst]
            or (between and (not self.runners[me] & bit[src] or between & (own[0] | own[1])))
        ):
            raise explain_move(self, seat, action)
        piece = self.board[src]
        two_squares, chases = self.two_squares, self.chases
        if two_squares.common[me] and two_squares.forbids(me, piece, borders):
            raise repeats("two_squares", action)
        if self.board[dst]:
            return self._attack(TurnState(seat, me, piece, src, src, borders), action)
        threat = self.threat(me, dst)
        move = (piece, src, dst)
        if threat and chases.forbids(me, move, threat, self.board):
            raise repeats("more_squares", action)
        self.shift(me, src, dst)
        two_squares.note(me, piece, borders)
        chases.note_move(me, move, threat, self.board)
        self.plies += 1
        self.quiet_plies += 1
        if not (tables.ruleset.follow_ups and self._asks_again(TurnState(seat, me, piece, src, dst, borders))):
            self.finish_turn(seat)
        return moved[me]

    def _attack(self, turn: TurnState, action: Move) -> tuple[Addressed, ...]:
        self.plies += 1
        facts = self.fight(turn, action)
        self.go_on(turn)
        return facts

    def fight(self, turn: TurnState, action: Move) -> tuple[Addressed, ...]:
        """Let the turn's piece attack; its number has risen by its wins in this turn.

        Tells the act, who shows what, who falls, the winner's move; a flag that falls ends the game.
        """
        lines, board = self.tables.paths, self.board
        src, dst = lines[action.src, action.dst][:2]
        fight = self.tables.fight(self.rank[turn.piece], self.rank[board[dst]], turn.wins)
        facts = [Addressed(Attacked(turn.seat, action.src, action.dst), BOTH)]
        if fight.shows.attacker:
            facts.append(self.reveal(turn.seat, src))
        if fight.shows.defender:
            facts.append(self.reveal(OPPONENT[turn.seat], dst))
        facts += [Addressed(fact, BOTH) for fact in _fallen(turn.seat, action, fight.verdict)]
        turn.attacks += 1
        self.quiet_plies = 0
        self._carry_off(turn, src, dst, fight.verdict)
        if fight.verdict is FightResult.FLAG:
            self.take_flag(turn.seat, action.dst)
        return tuple(facts)

    def _carry_off(self, turn: TurnState, src: int, dst: int, verdict: FightResult) -> None:
        if verdict is not FightResult.DEFENDER:
            self.take(1 - turn.me, dst)
        if verdict in _ATTACKER_STAYS:
            self.shift(turn.me, src, dst)
            turn.square = dst
            turn.wins += 1
        else:
            self.take(turn.me, src)
            turn.square = None

    def capture(self, owner: Seat, square: int) -> None:
        """Take the owner's piece off a square."""
        self.take(INDEX[owner], square)

    def reveal(self, owner: Seat, square: int) -> Addressed:
        """Show the piece on a square to the owner's opponent."""
        piece = self.board[square]
        self.shown.add(piece)
        place = self.tables.ruleset.board.names[square]
        return Addressed(Revealed(owner, place, self.rank_id(piece)), (OPPONENT[owner],))

    # --- the end of a turn ------------------------------------------------------------------------

    def go_on(self, turn: TurnState) -> None:
        """Ask the same seat again where a power says so; else settle the turn and finish it."""
        self.end(ending_in_turn(self))
        if self.outcome is None and not self._asks_again(turn, unsettled=True):
            self.settle(turn)

    def settle(self, turn: TurnState) -> None:
        """Let the repetition rules take note of a turn with attacks, and finish it unless there is more to ask."""
        self._note_captures(turn)
        if not self._asks_again(turn):
            self.finish_turn(turn.seat)

    def _note_captures(self, turn: TurnState) -> None:
        me, dst = turn.me, turn.square
        self.two_squares.note(me, turn.piece, turn.borders)
        if dst is None:
            self.chases.note_capture(me, None, NO_PIECES, self.board)
        else:
            self.chases.note_capture(me, (turn.piece, turn.src, dst), self.threat(me, dst), self.board)

    def _asks_again(self, turn: TurnState, *, unsettled: bool = False) -> bool:
        for follow_up in self.tables.ruleset.follow_ups:
            if follow_up.unsettled == unsettled and follow_up.when(self, turn):
                self.phase, self.to_act, self.turn = follow_up.phase, (turn.seat,), turn
                return True
        return False

    def spend_turn(self, seat: Seat, *, attacks: bool, captures: bool = False) -> None:
        """Finish a turn that was spent on a power instead of a move."""
        me = INDEX[seat]
        self.plies += 1
        self.quiet_plies = 0 if attacks else self.quiet_plies + 1
        self.two_squares.forget(me)
        if captures:
            self.chases.note_capture(me, None, NO_PIECES, self.board)
        else:
            self.chases.note_quiet(me, self.board)
        self.finish_turn(seat)

    def forget_repetition(self) -> None:
        """Let both repetition rules begin afresh, for both seats."""
        for me in (0, 1):
            self.two_squares.forget(me)
        self.chases.forget(self.board)

    def finish_turn(self, seat: Seat) -> None:
        """Hand the turn to the opponent and see whether the game is over."""
        self.phase, self.turn = "turn", None
        if self.outcome is None:
            self.to_act = self.tables.next_to_act[seat]
            self.end(ending_after(self, seat))

    def take_flag(self, seat: Seat, place: str) -> None:
        """End the game: the seat has the flag that stood on a square."""
        self.end(Outcome(seat, "flag_taken", f"{seat} took the flag on {place}"))

    def end(self, outcome: Outcome | None) -> None:
        """End the game where there is an outcome, unless it is over already."""
        if outcome is not None and self.outcome is None:
            self.outcome = outcome
            self.phase, self.to_act, self.turn = "turn", (), None

    def copy(self) -> Self:
        """Return an independent copy."""
        twin = type(self).__new__(type(self))
        for name in ("tables", "first", "to_act", "phase", "outcome", "plies", "quiet_plies", "opening"):
            setattr(twin, name, getattr(self, name))
        for name in ("board", "rank", "own", "movers", "runners", "captured", "two_squares", "chases"):
            setattr(twin, name, getattr(self, name).copy())
        for name in ("shown", "rescued", "rescuers", "_setups"):
            setattr(twin, name, getattr(self, name).copy())
        twin.turn = self.turn and self.turn.copy()
        return twin

    def __repr__(self) -> str:
        return f"<BoardPlay {self.tables.ruleset.name} ply {self.plies} {self.drawing()}>"


def _fallen(seat: Seat, action: Move, verdict: FightResult) -> list[AnyFact]:
    lost, taken = Removed(seat, action.src), Removed(OPPONENT[seat], action.dst)
    match verdict:
        case FightResult.ATTACKER | FightResult.FLAG:
            return [taken, Moved(seat, action.src, action.dst)]
        case FightResult.DEFENDER:
            return [lost]
        case FightResult.NEITHER:
            return [lost, taken]
