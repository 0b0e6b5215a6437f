"""Many games as arrays: all of them play one ply at a time, by board rules without powers.

The arrays replace what takes most of the time: pieces and fights, what each seat knows, planes and masks.  The
repetition rules keep their memory in the same objects as in any other game.
"""

from collections.abc import Sequence
from typing import Final

from arbiter.arrays import NDArray, Numbers, np
from arbiter.games.base import Ending
from arbiter.games.board.diagram import write_piece, write_rows
from arbiter.games.board.position import LAST_RED_PIECE, SIDE_OF
from arbiter.games.fights import FightResult
from arbiter.learning.actions import Mask
from arbiter.learning.game import End, LearningRules, NumberedGame
from arbiter.learning.memory import RepetitionMemory
from arbiter.learning.moves import MoveArrays
from arbiter.learning.planes import FIRST_KIND, FREE, MOVED, QUIET_STEPS, Planes
from protocol.words import SEATS

_STAYS, _HOLDS, _FLAG = 1, 2, 4
"""Bits of the result of a fight: the attacker stays, the defender stays, the flag was taken."""
_RESULTS: Final = {
    FightResult.ATTACKER: _STAYS,
    FightResult.DEFENDER: _HOLDS,
    FightResult.NEITHER: 0,
    FightResult.FLAG: _STAYS | _FLAG,
}
_NOWHERE: Final = -1


def can_batch(rules: LearningRules) -> bool:
    """Return True if `GameBatch` plays the games of a rule set."""
    return not rules.rules.powers and not rules.rules.follow_ups and rules.table.first_placement == rules.table.size


class GameBatch:
    """Games by one rule set, as `SeparateGames`.

    In arrays of sides, red is 0 and blue 1.  Each seat sees its own side at the bottom: its squares are counted from
    there.
    """

    def __init__(self, rules: LearningRules, games: int) -> None:
        ruleset, layout = rules.rules, rules.layout
        self._ruleset = ruleset
        self._layout = layout
        self._last = ruleset.board.size - 1  # the last square, from which blue counts
        ranks = len(ruleset.ranks)
        self._enemy = FIRST_KIND + 2 * ranks  # the first code of an enemy piece
        self._moves = MoveArrays(ruleset, rules.table, games)
        self._starters = [NumberedGame(rules) for _ in range(games)]
        self._rows = np.arange(games)
        self.sides = np.zeros(games, np.intp)
        """The side that is to act in each game."""
        self._codes = np.zeros((len(SEATS), ruleset.board.size, games), np.uint8)  # as each seat sees the board
        self._board = np.zeros((games, ruleset.board.size + 1), np.uint8)  # pieces; none on the square after the last
        self._ranks = np.zeros((games, 2 * LAST_RED_PIECE + 1), np.uint8)
        self._movable = np.zeros((len(SEATS), games), np.intp)  # pieces
        self._tables = np.zeros((len(SEATS), games, *layout.table.shape), np.int8)  # planes of codes, for each seat
        self._first_lost = layout.index["own lost " + ruleset.ranks[0].id]  # own, enemy and hidden, as the seat knows
        self._quiet, self._plies = np.zeros(games, np.intp), np.zeros(games, np.intp)
        self._steps = np.zeros(games, np.intp)  # the value of the plane `quiet` in the tables
        kept = max(1, len(layout.seen))
        self._ends = np.full((kept, 2, games), _NOWHERE)  # squares of the last actions, newest first
        self._seen = np.full((kept, len(SEATS), games), _NOWHERE)  # squares whose ranks these showed to each side
        self._memory = RepetitionMemory(ruleset, self._moves, self._board)
        self._numbers = rules.table.numbers
        self._legal = np.zeros((games, rules.table.size), np.bool_)
        tables = ruleset.tables
        self._can_move = np.array(tables.moves, np.intp)
        self._fights = np.full((ranks, ranks + 1), _STAYS, np.uint8)  # the last column is for a free square
        self._shows = np.zeros((ranks, ranks), np.bool_)
        for one in np.flatnonzero(self._can_move).tolist():
            for other in range(ranks):
                self._fights[one, other] = _RESULTS[tables.fight(one, other)]
                self._shows[one, other] = ruleset.disclosure(ruleset.ranks[one], ruleset.ranks[other])

    # --- the start --------------------------------------------------------------------------------

    def start(self, seeds: Sequence[int | None]) -> None:
        """Begin all games.  After a seed, the sequence of games is always the same."""
        for starter, seed in zip(self._starters, seeds, strict=True):
            starter.start(seed)
        self._take_over(self._rows)

    def _take_over(self, rows: Numbers) -> None:
        """Continue games that have just begun."""
        for row in rows.tolist():
            starter = self._starters[row]
            position = starter.play.position
            self._board[row, :-1] = position.board
            self._ranks[row] = position.rank
            self._ranks[row, 0] = len(self._ruleset.ranks)
            self.sides[row] = SIDE_OF[starter.seat]
            for seat, side in SIDE_OF.items():
                self._codes[side, :, row] = starter.planes[seat].codes
                self._movable[side, row] = position.movers[side].bit_count()
            numbers = self._numbers[starter.seat]
            self._legal[row] = False
            self._legal[row, [numbers[action] for action in starter.play.legal_actions(starter.seat)]] = True
        self._memory.begin(rows, [self._starters[row].play.position.chases for row in rows.tolist()])
        self._tables[:, rows] = self._layout.table
        self._quiet[rows] = self._plies[rows] = self._steps[rows] = 0
        self._ends[:, :, rows] = self._seen[:, :, rows] = _NOWHERE

    def _view(self) -> NDArray[np.uint8]:
        """Return the codes of squares as the seats see them that are to act."""
        view: NDArray[np.uint8] = np.where(self.sides, self._codes[1], self._codes[0])
        return view

    # --- a ply ------------------------------------------------------------------------------------

    def act(self, numbers: NDArray[np.int64]) -> dict[int, End]:
        """Carry out a legal action in each game; begin those again that end, and return how they ended."""
        rows, side, last = self._rows, self.sides, self._last
        other = 1 - side
        src, dst = self._moves.ends[:, numbers]
        start, goal = np.where(side, last - src, src), np.where(side, last - dst, dst)
        piece, target = self._board[rows, start], self._board[rows, goal]
        rank, against = self._ranks[rows, piece], self._ranks[rows, target]
        result = self._fights[rank, against]
        code, shown = self._codes[side, src, rows], self._codes[other, last - src, rows]
        self._codes[side, src, rows] = self._codes[other, last - src, rows] = FREE
        self._board[rows, start] = 0
        self._ends[1:], self._seen[1:] = self._ends[:-1].copy(), self._seen[:-1].copy()
        self._ends[0], self._seen[0] = (start, goal), _NOWHERE
        attacks = np.flatnonzero(target)
        if attacks.size:
            shown[attacks] = self._enemy + 2 * rank[attacks] | shown[attacks] & MOVED
            self._fight(attacks, numbers[attacks], rank[attacks], against[attacks], result[attacks])
        stays = np.flatnonzero(result & _STAYS)
        self._codes[side[stays], dst[stays], stays] = code[stays] | MOVED
        self._codes[other[stays], last - dst[stays], stays] = shown[stays] | MOVED
        self._board[stays, goal[stays]] = piece[stays]
        self._quiet = np.where(target, 0, self._quiet + 1)
        self._plies += 1
        repeating = self._memory.record(side, numbers, piece, target > 0, result & _STAYS > 0)
        self.sides = other
        self._legal = self._moves.list_legal(self._view())
        if repeating.size:
            self._memory.forbid(repeating, other, self._legal)
        return self._begin_again(result)

    def _fight(
        self,
        rows: Numbers,
        numbers: NDArray[np.int64],
        rank: NDArray[np.uint8],
        against: NDArray[np.uint8],
        result: NDArray[np.uint8],
    ) -> None:
        """Show and remove the pieces of attacks."""
        src, dst = self._moves.ends[:, numbers]
        side, last, ranks = self.sides[rows], self._last, len(self._ruleset.ranks)
        other = 1 - side
        shows = self._shows[rank, against]
        seen = self._codes[side, dst, rows]
        seen = np.where(shows, self._enemy + 2 * against | seen & MOVED, seen)
        self._codes[side, dst, rows] = seen
        self._seen[0, other, rows] = np.where(side, last - src, src)
        self._seen[0, side, rows] = np.where(shows, np.where(side, last - dst, dst), _NOWHERE)
        falls = np.flatnonzero(result & _STAYS == 0)
        self._count(side[falls], rows[falls], rank[falls])
        self._count(other[falls], rows[falls], ranks + rank[falls])
        self._movable[side[falls], rows[falls]] -= 1
        taken = np.flatnonzero(result & _HOLDS == 0)
        side, other, rows, dst, against = side[taken], other[taken], rows[taken], dst[taken], against[taken]
        self._count(other, rows, against)
        self._count(side, rows, (seen[taken] - FIRST_KIND) // 2)
        self._movable[other, rows] -= self._can_move[against]
        self._codes[side, dst, rows] = self._codes[other, last - dst, rows] = FREE
        self._board[rows, np.where(side, last - dst, dst)] = 0

    def _count(self, sides: Numbers, rows: Numbers, kinds: NDArray[np.uint8]) -> None:
        """Count the loss of a piece of each game, as a seat knows it."""
        self._tables[sides, rows, :, self._first_lost + kinds] += 1

    # --- the end ----------------------------------------------------------------------------------

    def _begin_again(self, result: NDArray[np.uint8]) -> dict[int, End]:
        """Begin the games again that are over, and return how they ended."""
        most_quiet, most = (limit or np.inf for limit in (self._ruleset.no_attack_plies, self._ruleset.max_plies))
        is_over = (result & _FLAG > 0) | (self._movable == 0).any(0) | ~self._legal.any(1)
        is_over |= (self._quiet >= most_quiet) | (self._plies >= most)
        over = np.flatnonzero(is_over)
        if not over.size:
            return {}
        self.sides[over] = 1 - self.sides[over]  # the seats that have just acted
        shown = self._write_planes(over)
        ends = {}
        for number, row in enumerate(over.tolist()):
            reward, ending = self._find_ending(row, taken=bool(result[row] & _FLAG))
            info: dict[str, str | int] = {"ending": ending, "plies": int(self._plies[row])}
            mask = np.zeros(self._legal.shape[1], np.int8)
            ends[row] = End(reward, {"observation": shown[number], "action_mask": mask}, info)
            self._starters[row].start()
        self._take_over(over)
        return ends

    def _find_ending(self, row: int, *, taken: bool) -> tuple[float, Ending]:
        """Return the reward of the seat that has just acted, and the ending."""
        side = self.sides[row]
        own, theirs = self._movable[side, row], self._movable[1 - side, row]
        if taken:
            return 1.0, "flag_taken"
        if not (own and theirs):
            return (1.0, "no_pieces") if own else (-1.0, "no_pieces") if theirs else (0.0, "both_immobile")
        if not self._legal[row].any():
            can_step = any(self._moves.list_legal(codes)[row].any() for codes in self._codes)
            return (1.0, "no_moves") if can_step else (0.0, "both_immobile")
        return 0.0, "no_attack_limit" if self._quiet[row] >= (self._ruleset.no_attack_plies or np.inf) else "ply_limit"

    # --- what the seats see -----------------------------------------------------------------------

    def write(self) -> tuple[Planes, Mask]:
        """Return the planes and the masks of the seats that are to act."""
        return self._write_planes(self._rows), self._legal.view(np.int8).copy()

    def _write_planes(self, rows: Numbers) -> Planes:
        """Return the planes of the seats that are to act in some games."""
        layout, sides = self._layout, self.sides[rows]
        if layout.no_attack_plies:
            steps = QUIET_STEPS * self._quiet // layout.no_attack_plies
            changed = np.flatnonzero(steps != self._steps)
            self._steps = steps
            self._tables[:, changed, :, layout.quiet] = steps[changed][:, None, None]
        codes, planes_of = self._codes[sides, :, rows], self._tables.reshape(-1, len(layout.names))
        out = planes_of.take(codes + (len(layout.table) * (sides * len(self._rows) + rows))[:, None], 0)
        planes = [(layout.last_from, layout.last_to), *layout.earlier]
        for ends, pair in zip(self._ends[:, :, rows], planes, strict=False):
            for squares, plane in zip(ends, pair, strict=True):
                self._mark(out, sides, squares, plane)
        for squares, plane in zip(self._seen[:, sides, rows], layout.seen, strict=False):
            self._mark(out, sides, squares, plane)
        return out.reshape(len(rows), *layout.shape)

    def _mark(self, out: Planes, sides: Numbers, squares: Numbers, plane: int) -> None:
        """Write 1 on a square of each game, if there is one."""
        marked = np.flatnonzero(squares != _NOWHERE)
        out[marked, np.where(sides, self._last - squares, squares)[marked], plane] = 1

    def draw(self, row: int) -> str:
        """Draw the position of a game with the pieces of both sides."""
        board, ranks = self._ruleset.board, self._ruleset.ranks
        signs = {
            board.names[square]: write_piece(SEATS[piece > LAST_RED_PIECE], ranks[self._ranks[row, piece]].id)
            for square, piece in enumerate(self._board[row, :-1].tolist())
            if piece
        }
        return write_rows(signs, board, SEATS[self.sides[row]])
