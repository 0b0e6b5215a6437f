"""One board game in progress.  It knows everything and tells facts; it knows no clock and no process."""

from typing import Final, Self

from arbiter.errors import IllegalAction
from arbiter.games.base import Outcome, Told
from arbiter.games.board.boards import ROW_BITS
from arbiter.games.board.endings import ending_after, ending_at_start
from arbiter.games.board.lines import BOTH
from arbiter.games.board.positions import Standing, write_position
from arbiter.games.board.refusals import explain_move
from arbiter.games.board.repetition import ChaseRule, TwoSquares
from arbiter.games.board.setup import check_deployment
from arbiter.games.board.tables import Tables
from arbiter.games.fights import Fight, Verdict
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
    RankId,
    Removed,
    Revealed,
    Seat,
)

_INDEX: Final = {seat: number for number, seat in enumerate(SEATS)}
_SECOND_SEAT: Final = 100  # blue's pieces are numbered from 101, red's from 1
_NO_THREAT: Final[frozenset[int]] = frozenset()


class BoardPlay:
    """A board game under way.

    `board` holds the number of the piece on each square (0 = none), `rank` its rank's index.
    Masks: `own` = a seat's pieces, `movers` = those that can move, `runners` = those that move far.
    """

    __slots__ = (
        "_setups",
        "board",
        "captured",
        "chases",
        "first",
        "movers",
        "opening",
        "outcome",
        "own",
        "phase",
        "plies",
        "quiet_plies",
        "rank",
        "runners",
        "tables",
        "to_act",
        "two_squares",
    )

    def __init__(self, tables: Tables, first: Seat) -> None:
        ruleset = tables.ruleset
        self.tables = tables
        self.first: Seat = first
        self.board = bytearray(ruleset.board.size)
        self.rank = bytearray(2 * _SECOND_SEAT + 1)
        self.own = [0, 0]
        self.movers = [0, 0]
        self.runners = [0, 0]
        self.captured: list[int] = []
        self.two_squares = TwoSquares(ruleset.two_squares)
        self.chases = ChaseRule(ruleset.more_squares)
        self.to_act: tuple[Seat, ...] = SEATS
        self.phase: Phase = "setup"
        self.outcome: Outcome | None = None
        self.plies = 0
        self.quiet_plies = 0
        self.opening: tuple[Told, ...] = ()
        self._setups: dict[Seat, tuple[Standing, ...]] = {}
        if ruleset.position is not None:
            self._stand_as_given(ruleset.position)

    # --- the setup --------------------------------------------------------------------------------

    def _stand_as_given(self, position: tuple[Standing, ...]) -> None:
        for seat in SEATS:
            self._setups[seat] = tuple(standing for standing in position if standing.seat == seat)
        names = self.tables.ruleset.board.names
        shown = [
            Told(Revealed(standing.seat, names[standing.square], standing.rank), (standing.seat,))
            for seat in SEATS
            for standing in self._setups[seat]
        ]
        self.opening = (*self._begin(), *shown)

    def deploy(self, seat: Seat, action: Deploy) -> tuple[Told, ...]:
        """Take a deployment; both are told once both are in.  Raises IllegalAction."""
        self._setups[seat] = check_deployment(self.tables.ruleset, seat, action)
        if len(self._setups) < len(SEATS):
            self.to_act = (OPPONENT[seat],)
            return ()
        return self._begin()

    def _begin(self) -> tuple[Told, ...]:
        for seat in SEATS:
            for number, standing in enumerate(self._setups[seat], start=1):
                self._stand(_INDEX[seat], number, standing)
        self.chases.begin(self.board)
        self.phase, self.to_act = "turn", (self.first,)
        self.end(ending_at_start(self))
        names = self.tables.ruleset.board.names
        return tuple(
            Told(Deployed(seat, [names[standing.square] for standing in self._setups[seat]]), BOTH) for seat in SEATS
        )

    def _stand(self, me: int, number: int, standing: Standing) -> None:
        piece = me * _SECOND_SEAT + number
        self.rank[piece] = self.tables.index[standing.rank]
        self.put(me, piece, standing.square)

    # --- the pieces -------------------------------------------------------------------------------

    def put(self, me: int, piece: int, square: int) -> None:
        """Stand a piece on a free square."""
        bit = self.tables.bit[square]
        kind = self.rank[piece]
        self.board[square] = piece
        self.own[me] |= bit
        if self.tables.moves[kind]:
            self.movers[me] |= bit
        if self.tables.runs[kind]:
            self.runners[me] |= bit

    def take(self, me: int, square: int) -> None:
        """Take the seat's piece off a square."""
        gone = ~self.tables.bit[square]
        self.board[square] = 0
        self.own[me] &= gone
        self.movers[me] &= gone
        self.runners[me] &= gone

    def rank_id(self, piece: int) -> RankId:
        """Name a piece's rank."""
        return self.tables.ruleset.ranks[self.rank[piece]].id

    def standings(self) -> tuple[Standing, ...]:
        """List the pieces on the board, in board order."""
        return tuple(
            Standing(square, SEATS[piece > _SECOND_SEAT], self.rank_id(piece))
            for square, piece in enumerate(self.board)
            if piece
        )

    def __repr__(self) -> str:
        return f"<BoardPlay {self.tables.ruleset.name} ply {self.plies} {write_position(self.standings(), self.tables.ruleset.board)}>"

    # --- what may be done -------------------------------------------------------------------------

    def legal(self, seat: Seat) -> list[AnyAction]:
        """List every action the rules allow the seat now; empty in the setup and off turn."""
        if seat not in self.to_act or self.phase == "setup":
            return []
        actions: list[AnyAction] = []
        if self.phase == "turn":
            actions += self.legal_moves(_INDEX[seat])
        for power in self.tables.ruleset.powers:
            if power.phase == self.phase:
                actions += power.actions(self, seat)
        return actions

    def legal_moves(self, me: int) -> list[Move]:
        """List the moves the rules allow the seat, were it its turn."""
        moves = self.tables.ruleset.board.steps(self.movers[me], self.tables.land ^ self.own[me])
        if self.runners[me]:
            self._add_runs(me, moves)
        if self.two_squares.common[me] or self.chases.may_forbid(me):
            return [move for move in moves if not self._repeats(me, move)]
        return moves

    def _add_runs(self, me: int, moves: list[Move]) -> None:
        """Add the moves of runners over more than one square."""
        board, geometry = self.board, self.tables.ruleset.board
        rays, runs = geometry.rays, geometry.runs
        free = self.tables.land & ~(self.own[0] | self.own[1])
        ahead = (free >> ROW_BITS, free << ROW_BITS, free >> 1, free << 1)
        own_low, own_high = me * _SECOND_SEAT, (me + 1) * _SECOND_SEAT
        for direction, clear in enumerate(ahead):
            able = self.runners[me] & clear
            while able:
                low = able & -able
                able ^= low
                square = geometry.square_of_bit[low]
                reach = 1
                for target in rays[square][direction][1:]:
                    piece = board[target]
                    if piece:
                        reach += not own_low < piece <= own_high
                        break
                    reach += 1
                moves += runs[square][direction][1:reach]

    def _repeats(self, me: int, move: Move) -> bool:
        line = self.tables.lines[move.src, move.dst]
        piece = self.board[line.src]
        return self.two_squares.forbids(me, piece, line.borders) or (
            not self.board[line.dst]
            and self.chases.may_forbid(me)
            and self.chases.forbids(me, (piece, line.src, line.dst), self._threat(me, line.dst), self.board)
        )

    def has_move(self, me: int) -> bool:
        """Say whether the seat could move a piece, were it its turn."""
        if self.two_squares.common[me] or self.chases.may_forbid(me):
            return bool(self.legal_moves(me))
        return self.tables.ruleset.board.can_step(self.movers[me], self.tables.land ^ self.own[me])

    def _threat(self, me: int, square: int) -> frozenset[int]:
        """Return the enemy pieces beside a square."""
        if not self.tables.beside[square] & self.own[1 - me]:
            return _NO_THREAT
        low, high = (1 - me) * _SECOND_SEAT, (2 - me) * _SECOND_SEAT
        pieces = [self.board[neighbour] for neighbour in self.tables.neighbours[square]]
        return frozenset(piece for piece in pieces if low < piece <= high)

    # --- acts -------------------------------------------------------------------------------------

    def act(self, seat: Seat, action: AnyAction) -> tuple[Told, ...]:
        """Carry out an action and return what happened.

        Raises IllegalAction and changes nothing.
        """
        if seat not in self.to_act:
            raise IllegalAction("turn", f"it is not {seat}'s turn")
        if type(action) is Move and self.phase == "turn":
            return self._move(seat, action)
        if type(action) is Deploy and self.phase == "setup":
            return self.deploy(seat, action)
        for power in self.tables.ruleset.powers:
            if type(action) is power.action and self.phase == power.phase:
                return power.carry_out(self, seat, action)
        wanted = action.__struct_config__.tag
        raise IllegalAction("turn", f"{wanted!r} is not among the actions of phase {self.phase!r} here")

    def _move(self, seat: Seat, action: Move) -> tuple[Told, ...]:
        line = self.tables.lines.get((action.src, action.dst))
        me = _INDEX[seat]
        if line is None:
            raise explain_move(self, seat, action)
        src, dst, between, borders, moved = line
        bit, own = self.tables.bit, self.own
        if (
            not self.movers[me] & bit[src]
            or own[me] & bit[dst]
            or (between and (not self.runners[me] & bit[src] or between & (own[0] | own[1])))
        ):
            raise explain_move(self, seat, action)
        piece = self.board[src]
        threat = self._threat(me, dst)
        if self.two_squares.forbids(me, piece, borders):
            raise _repeated("two_squares", action)
        if self.board[dst]:
            return self._attack(seat, action, (piece, src, dst), borders)
        if self.chases.forbids(me, (piece, src, dst), threat, self.board):
            raise _repeated("more_squares", action)
        self._shift(me, piece, src, dst)
        self.two_squares.note(me, piece, borders)
        self.chases.note_move(me, (piece, src, dst), threat, self.board)
        self.quiet_plies += 1
        self.finish_turn(seat)
        return moved[me]

    def _shift(self, me: int, piece: int, src: int, dst: int) -> None:
        bit = self.tables.bit
        there_and_back = bit[src] | bit[dst]
        self.board[src], self.board[dst] = 0, piece
        self.own[me] ^= there_and_back
        self.movers[me] ^= there_and_back
        if self.runners[me] & bit[src]:
            self.runners[me] ^= there_and_back

    def _attack(self, seat: Seat, action: Move, move: tuple[int, int, int], borders: int) -> tuple[Told, ...]:
        me, (piece, src, dst) = _INDEX[seat], move
        fight = self.tables.fight(self.rank[piece], self.rank[self.board[dst]])
        facts = self._fought(seat, action, fight)
        survives = fight.verdict in (Verdict.ATTACKER, Verdict.FLAG)
        if fight.verdict is not Verdict.DEFENDER:
            self.captured.append(self.board[dst])
            self.take(1 - me, dst)
        if survives:
            self._shift(me, piece, src, dst)
        else:
            self.captured.append(piece)
            self.take(me, src)
        self.two_squares.note(me, piece, borders)
        threat = self._threat(me, dst) if survives else _NO_THREAT
        self.chases.note_capture(me, move if survives else None, threat, self.board)
        self.quiet_plies = 0
        self.finish_turn(seat, flag_square=action.dst if fight.verdict is Verdict.FLAG else None)
        return tuple(facts)

    def _fought(self, seat: Seat, action: Move, fight: Fight) -> list[Told]:
        """Tell an attack: the act, who shows what, who falls, the winner's move; the board is as before it."""
        foe = OPPONENT[seat]
        square = self.tables.ruleset.board.square
        facts = [Told(Attacked(seat, action.src, action.dst), BOTH)]
        if fight.shows.attacker:
            facts.append(_shown(seat, action.src, self.rank_id(self.board[square[action.src]])))
        if fight.shows.defender:
            facts.append(_shown(foe, action.dst, self.rank_id(self.board[square[action.dst]])))
        facts += [Told(fact, BOTH) for fact in _fallen(seat, action, fight.verdict)]
        return facts

    def finish_turn(self, seat: Seat, *, flag_square: str | None = None) -> None:
        """Count the ply, hand the turn to the opponent and see whether the game is over."""
        self.plies += 1
        self.to_act = self.tables.next_to_act[seat]
        self.end(ending_after(self, seat, flag_square))

    def end(self, outcome: Outcome | None) -> None:
        """End the game where there is an outcome."""
        if outcome is not None:
            self.outcome = outcome
            self.to_act = ()

    def copy(self) -> Self:
        """Return an independent copy."""
        twin = type(self).__new__(type(self))
        for name in ("tables", "first", "to_act", "phase", "outcome", "plies", "quiet_plies", "opening"):
            setattr(twin, name, getattr(self, name))
        for name in ("board", "rank", "own", "movers", "runners", "captured", "two_squares", "chases", "_setups"):
            setattr(twin, name, getattr(self, name).copy())
        return twin


def _shown(owner: Seat, place: str, rank: RankId) -> Told:
    return Told(Revealed(owner, place, rank), (OPPONENT[owner],))


def _fallen(seat: Seat, action: Move, verdict: Verdict) -> list[AnyFact]:
    lost, taken = Removed(seat, action.src), Removed(OPPONENT[seat], action.dst)
    match verdict:
        case Verdict.ATTACKER | Verdict.FLAG:
            return [taken, Moved(seat, action.src, action.dst)]
        case Verdict.DEFENDER:
            return [lost]
        case Verdict.NEITHER:
            return [lost, taken]


def _repeated(rule: str, action: Move) -> IllegalAction:
    if rule == "two_squares":
        return IllegalAction(
            "two_squares", f"two squares: {action.src}-{action.dst} crosses the same border once too often"
        )
    return IllegalAction(
        "more_squares", f"more squares: {action.src}-{action.dst} brings back a position of this chase"
    )
