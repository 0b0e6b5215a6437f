"""A slow referee of the board games, written independently of the engine, to compare the engine with.

It keeps the whole history and applies every rule to it, without further state.  A piece is identified by its seat and
the square where it began.
"""

from typing import NamedTuple

FILES = "abcdefghij"
LAKES = {"c5", "d5", "c6", "d6", "g5", "h5", "g6", "h6"}
LAND = [f"{file}{row}" for row in range(1, 11) for file in FILES if f"{file}{row}" not in LAKES]
NUMBERS = {"marshal": 10, "general": 9, "colonel": 8, "major": 7, "captain": 6, "lieutenant": 5, "sergeant": 4, "miner": 3, "scout": 2, "spy": 1}  # fmt: skip
IMMOVABLE = {"bomb", "flag"}
OTHER = {"red": "blue", "blue": "red"}


class Piece(NamedTuple):
    """The physical piece: two lieutenants are two pieces."""

    seat: str
    home: str
    rank: str


class Ply(NamedTuple):
    """One turn.

    `path` is the path of the piece that moved, `threat` the enemy pieces next to it if it is not lost, `after` the
    position.
    """

    piece: Piece
    path: list
    captures: bool
    threat: frozenset
    after: dict


class Reference:
    """A game; `pieces` maps squares to (seat, rank)."""

    runners = frozenset({"scout"})

    def __init__(self, pieces, first, *, two_squares, more_squares, no_attack_plies=0, max_plies=0):
        self.board = {square: Piece(seat, square, rank) for square, (seat, rank) in pieces.items()}
        self.first_position = dict(self.board)
        self.turn = first
        self.two_squares = two_squares
        self.more_squares = more_squares
        self.no_attack_plies = no_attack_plies
        self.max_plies = max_plies
        self.history = []

    # --- moves ------------------------------------------------------------------------------------

    def refusals(self, src, dst):
        """List the rules that refuse a move of the seat on turn."""
        piece = self.board.get(src)
        if piece is None or piece.seat != self.turn or dst not in LAND:
            return ["movement"]
        if piece.rank in IMMOVABLE:
            return ["immovable"]
        path = way(src, dst)
        target = self.board.get(dst)
        clear = len(path) > 1 and not any(square in self.board or square not in LAND for square in path[1:-1])
        if not clear or (len(path) > 2 and piece.rank not in self.runners) or (target and target.seat == piece.seat):
            return ["movement"]
        refusing = [("two_squares", self.crosses_too_often(piece, path))]
        refusing.append(("more_squares", target is None and self.repeats_in_chase(piece, src, dst)))
        return [rule for rule, refuses in refusing if refuses]

    def legal(self):
        """List the moves of the seat on turn."""
        own = [square for square, piece in self.board.items() if piece.seat == self.turn]
        return [(src, dst) for src in own for dst in REACH[src] if not self.refusals(src, dst)]

    def sorted_moves(self):
        """Return the legal moves, and the moves refused only by repetition with the rules that refuse them."""
        own = [square for square, piece in self.board.items() if piece.seat == self.turn]
        answers = {(src, dst): self.refusals(src, dst) for src in own for dst in REACH[src]}
        repeating = {ends: rules for ends, rules in answers.items() if rules and rules[0].endswith("_squares")}
        return sorted(ends for ends, rules in answers.items() if not rules), repeating

    def can_step(self, square):
        """Return True if the piece can move to a free square or to an enemy piece, whatever was played before."""
        piece = self.board[square]
        targets = [self.board.get(other) for other in NEIGHBOURS[square]]
        return piece.rank not in IMMOVABLE and any(not other or other.seat != piece.seat for other in targets)

    def crosses_too_often(self, piece, path):
        """ISF 10: this seat's last `limit` turns were this piece's, and one border is in all of them and here."""
        own = [ply for ply in self.history if ply.piece.seat == piece.seat][-self.two_squares :]
        if not self.two_squares or len(own) < self.two_squares or any(ply.piece != piece for ply in own):
            return False
        return any(all(border in borders(ply.path) for ply in own) for border in borders(path))

    def repeats_in_chase(self, piece, src, dst):
        """ISF 11: a chase is an unbroken run of threats, each answered by an evasion."""
        if self.more_squares == "off":
            return False
        run = self.chase_of(piece.seat)
        evaders = {self.history[ply + 1].piece for ply in run}
        if not run or not self.beside(dst, piece.seat) & evaders:
            return False
        last = self.history[-2]
        if self.more_squares == "book":
            answers = [self.history[ply + 1] for ply in run]
            if len({end for answer in answers for end in (answer.path[0], answer.path[-1])}) <= 2:
                return False
        elif last.piece == piece and (last.path[0], last.path[-1]) == (dst, src):
            return False
        position = {square: other for square, other in self.board.items() if square != src} | {dst: piece}
        seen = [ply.after for ply in self.history[min(run) :]]
        if self.more_squares in {"game", "book"}:
            seen = [self.first_position, *(ply.after for ply in self.history)]
        return position in seen

    def chase_of(self, seat):
        """List the plies (by number) of the seat's current chase, the last first."""
        run = []
        number = len(self.history) - 2
        while number >= 0 and self.history[number].piece.seat == seat:
            threat, answer = self.history[number], self.history[number + 1]
            if not threat.threat or answer.captures or answer.piece not in threat.threat:
                break
            run.append(number)
            if threat.captures:
                break
            number -= 2
        return run

    def beside(self, square, seat):
        """Return the enemy pieces orthogonally next to a square."""
        found = (self.board.get(other) for other in NEIGHBOURS[square])
        return frozenset(piece for piece in found if piece and piece.seat != seat)

    # --- acts -------------------------------------------------------------------------------------

    def play(self, src, dst):
        """Carry out a legal move; return the pieces that left."""
        piece, target = self.board.pop(src), self.board.pop(dst, None)
        winner = piece if target is None else fight(piece, target)
        if winner:
            self.board[dst] = winner
        lost = [other for other in (piece, target) if other and other != winner]
        threat = self.beside(dst, piece.seat) if winner == piece else frozenset()
        self.history.append(Ply(piece, way(src, dst), bool(target), threat, dict(self.board)))
        self.turn = OTHER[piece.seat]
        return lost

    def ending(self):
        """Return (winner, ending) after the last ply, or None."""
        mover = OTHER[self.turn]
        homes = set(self.board.values())
        if any(piece.rank == "flag" and piece not in homes for piece in self.first_position.values()):
            return mover, "flag_taken"
        able = {seat for seat in OTHER if any(piece.seat == seat and piece.rank not in IMMOVABLE for piece in homes)}
        if not able:
            return None, "both_immobile"
        if len(able) == 1:
            return able.pop(), "no_pieces"
        if not self.legal():
            blocked = not any(self.can_step(square) for square in self.board)
            return (None, "both_immobile") if blocked else (mover, "no_moves")
        return self.limit_reached()

    def limit_reached(self):
        quiet = 0
        while quiet < len(self.history) and not self.history[-1 - quiet].captures:
            quiet += 1
        if self.no_attack_plies and quiet >= self.no_attack_plies:
            return None, "no_attack_limit"
        if self.max_plies and len(self.history) >= self.max_plies:
            return None, "ply_limit"
        return None


def fight(attacker, defender):
    """Return the piece that stays, or None."""
    if defender.rank == "flag":
        return attacker
    if defender.rank == "bomb":
        return attacker if attacker.rank == "miner" else defender
    if (attacker.rank, defender.rank) == ("spy", "marshal"):
        return attacker
    difference = NUMBERS[attacker.rank] - NUMBERS[defender.rank]
    return None if difference == 0 else attacker if difference > 0 else defender


def way(src, dst):
    """List the squares of the straight path, ends included; empty if there is none."""
    (x, y), (u, v) = spot(src), spot(dst)
    if (x == u) == (y == v):
        return []
    steps = max(abs(u - x), abs(v - y))
    return [f"{FILES[x + (u - x) * step // steps]}{y + (v - y) * step // steps}" for step in range(steps + 1)]


def spot(square):
    return FILES.index(square[0]), int(square[1:])


def borders(path):
    """Return the borders along a path, each as the pair of its squares."""
    return {frozenset(path[number : number + 2]) for number in range(len(path) - 1)}


NEIGHBOURS = {square: [other for other in LAND if len(way(square, other)) == 2] for square in LAND}
REACH = {square: [other for other in LAND if way(square, other)] for square in LAND}
