"""The slow referee for the games with powers and options: legal actions and their facts.

Actions and facts are text, as in `powerplay`.  Nothing is shared with the engine.
"""

from games.power_text import RANKS
from games.reference import LAND, NUMBERS, OTHER, REACH, Piece, Ply, Reference, spot, way

NUMBER = NUMBERS | {"marksman": 7, "berserker": 6}
GUESSES = [rank for rank in RANKS if rank not in ("marksman", "berserker")]
FAR_ROW = {"red": "10", "blue": "1"}
HALVES = {"red": range(1, 6), "blue": range(6, 11)}
DEEP = {"red": range(7, 11), "blue": range(1, 5)}


class PowerReference(Reference):
    """A game of any rule set; `known` holds the pieces whose rank the opponent knows."""

    def __init__(self, rules, options, pieces, first, **limits):
        super().__init__(pieces, first, **limits)
        self.powers = rules == "clone-wars-powers"
        self.options = options
        self.phase = "turn"
        self.known = set()
        self.lost = []  # pieces that have left, in order
        self.rescuers = []
        self.plies = self.quiet = 0
        self.rise = 0  # attacks made in this turn
        self.begun = None  # the path of an unfinished turn
        if self.powers:
            self.runners = frozenset({"scout", "colonel"})

    # --- what is legal ------------------------------------------------------------------------------

    def acts(self):
        """List the legal actions of the seat to act, as text."""
        return {"turn": self.turn_acts, "rage": self.rage_acts, "rescue": self.rescue_acts}[self.phase]()

    def turn_acts(self):
        found = [f"{src}{'x' if dst in self.board else '-'}{dst}" for src, dst in self.legal()]
        mine = [(src, piece.rank) for src, piece in self.board.items() if piece.seat == self.turn]
        theirs = [dst for dst, piece in self.board.items() if piece.seat != self.turn]
        for src, rank in mine:
            for dst in theirs:
                across, up = (abs(a - b) for a, b in zip(spot(src), spot(dst), strict=True))
                in_line, near = 0 in (across, up), across + up in (1, 2)
                if self.powers and near and rank in ("marshal", "general"):
                    found.append(f"{src}?{dst}")
                if near and in_line and rank == "marksman":
                    found.append(f"{src}*{dst}")
                if near and in_line and rank == "infiltrator" and spot(src)[1] in DEEP[self.turn]:
                    between = way(src, dst)[1:-1]
                    if all(square in LAND and square not in self.board for square in between):
                        found += [f"{src}!{dst}={guess}" for guess in GUESSES]
        return found

    def rage_acts(self):
        """A rage is one move, and each attack of it is tested against the turns before it."""
        here = self.begun[-1]
        piece = self.board[here]
        beside = [dst for dst in REACH[here] if len(way(here, dst)) == 2 and self.is_foe(dst)]
        return [f"{here}x{dst}" for dst in beside if not self.crosses_too_often(piece, [here, dst])] + ["stop"]

    def rescue_acts(self):
        free = [square for square in LAND if square not in self.board and spot(square)[1] in HALVES[self.turn]]
        return [f"+{rank}@{square}" for rank in {piece.rank for piece in self.captives()} for square in free] + ["stop"]

    def captives(self):
        return [piece for piece in self.lost if piece.seat == self.turn and piece.rank != "bomb"]

    def is_foe(self, square):
        return square in self.board and self.board[square].seat != self.turn

    # --- acts ---------------------------------------------------------------------------------------

    def act(self, word):
        """Carry out a legal action; return the facts as text."""
        if self.phase == "rescue":
            return self.rescue(word)
        if word == "stop":
            self.close(self.begun)
            return ""
        if self.phase == "turn":
            self.plies += 1
            self.quiet += 1
            self.rise = 0
        for sign in "?*!":
            if sign in word:
                return {"?": self.look, "*": self.strike, "!": self.guess}[sign](*word.split(sign))
        src, dst = word.replace("x", "-").split("-")
        if "-" in word:
            text = f"moved {self.turn} {src} {dst}"
            self.board[dst] = self.board.pop(src)
            self.close(way(src, dst))
            return text
        return self.attack(src, dst)

    def attack(self, src, dst):
        piece, target = self.board[src], self.board[dst]
        winner = self.stronger(piece, target)
        text = [f"attacked {self.turn} {src} {dst}", self.show(src)]
        if "silent-defence" not in self.options or piece.rank == "scout":
            text.append(self.show(dst))
        text += [f"removed {other.seat} {at}" for other, at in ((piece, src), (target, dst)) if other != winner]
        text += [f"moved {self.turn} {src} {dst}"] if winner == piece else []
        self.quiet = 0
        # the defender leaves first, then the attacker: captured pieces of one seat keep their order
        self.lost += [other for other in (target, piece) if other != winner]
        del self.board[src], self.board[dst]
        if winner:
            self.board[dst] = winner
        path = [*(self.begun or [src]), dst] if self.phase == "rage" else way(src, dst)
        self.go_on(piece, path)
        return " / ".join(text)

    def go_on(self, piece, path):
        self.rise += 1
        alive = self.board.get(path[-1]) == piece
        if self.ended_at_once():
            self.note(piece, path, captures=True)
            self.over()
            return
        if piece.rank == "berserker" and alive and self.rise < 4:
            self.phase, self.begun = "rage", path
            if self.rage_acts() != ["stop"]:
                return
        self.close(path, piece)

    def close(self, path, piece=None):
        """End a turn of a piece that has moved along a path; `piece` is given if it may be lost."""
        mover = piece or self.board[path[-1]]
        alive = self.board.get(path[-1]) == mover
        captures = bool(piece) or self.phase == "rage"
        self.note(mover, path, captures=captures)
        arrives = alive and path[-1][1:] == FAR_ROW[self.turn] != path[0][1:]
        may = "rescue" in self.options and mover.rank != "scout" and len(self.rescuers_of()) < 2
        if arrives and may and mover not in self.rescuers and self.captives():
            self.phase, self.begun = "rescue", path
        else:
            self.over()

    def note(self, piece, path, *, captures):
        alive = self.board.get(path[-1]) == piece
        threat = self.beside(path[-1], piece.seat) if alive else frozenset()
        self.history.append(Ply(piece, path, captures, threat, dict(self.board)))

    def over(self):
        self.phase, self.begun, self.turn = "turn", None, OTHER[self.turn]

    def rescuers_of(self):
        return [piece for piece in self.rescuers if piece.seat == self.turn]

    def rescue(self, word):
        text = ""
        if word != "stop":
            rank, square = word[1:].split("@")
            able = [piece for piece in self.captives() if piece.rank == rank]
            unknown = [piece for piece in able if piece not in self.known]
            piece = (unknown or able)[0]
            self.lost.remove(piece)
            self.board[square] = piece
            self.rescuers.append(self.board[self.begun[-1]])
            text = f"placed {self.turn} {square}" + ("" if unknown else f" / {self.show(square)}")
            # both repetition rules start again: one turn of each player without a move
            self.history += [self.nobodys(OTHER[self.turn]), self.nobodys(self.turn)]
        self.over()
        return text

    def nobodys(self, seat, *, captures=False):
        """Return a turn in which no piece moved."""
        return Ply(Piece(seat, None, None), [], captures, frozenset(), dict(self.board))

    def stronger(self, attacker, defender):
        """Return who stays, or None."""
        if defender.rank == "flag":
            return attacker
        if "infiltrator" in (attacker.rank, defender.rank):
            both = attacker.rank == defender.rank
            return None if both else defender if attacker.rank == "infiltrator" else attacker
        if defender.rank == "bomb":
            return attacker if attacker.rank == "miner" else defender
        if (attacker.rank, defender.rank) == ("spy", "marshal"):
            return attacker
        strength = NUMBER[attacker.rank] + (self.rise if attacker.rank == "berserker" else 0)
        if strength == NUMBER[defender.rank]:
            return attacker if "aggressor-advantage" in self.options else None
        return attacker if strength > NUMBER[defender.rank] else defender

    # --- powers -------------------------------------------------------------------------------------

    def look(self, src, dst):
        text = f"looked {self.turn} {src} {dst} / {self.show(src)} / {self.show(dst)}"
        self.spend()
        return text

    def strike(self, src, dst):
        text = f"struck {self.turn} {src} {dst} / {self.show(src)} / {self.show(dst)}"
        target = self.board[dst].rank
        falls = target == "flag" or NUMBER.get(target, 99) < 7
        return text + self.hit(dst, falls=falls)

    def guess(self, src, rest):
        dst, rank = rest.split("=")
        right = self.board[dst].rank == rank
        text = f"guessed {self.turn} {src} {dst} {rank} {right} / {self.show(src)}"
        return text + (f" / {self.show(dst)}" if right else "") + self.hit(dst, falls=right)

    def hit(self, dst, *, falls):
        self.quiet = 0
        if falls:
            self.lost.append(self.board.pop(dst))
        self.spend(captures=falls)
        return f" / removed {self.turn} {dst}" if falls else ""

    def spend(self, *, captures=False):
        self.history.append(self.nobodys(self.turn, captures=captures))
        self.over()

    def show(self, square):
        piece = self.board[square]
        self.known.add(piece)
        return f"{OTHER[piece.seat]}< revealed {piece.seat} {square} {piece.rank}"

    # --- endings ------------------------------------------------------------------------------------

    def ended_at_once(self):
        """Return the ending by a lost flag or a lost last movable piece, which ends the game within a turn."""
        turn, self.turn = self.turn, OTHER[self.turn]
        ending = super().ending() if self.over_at_once() else None
        self.turn = turn
        return ending

    def over_at_once(self):
        homes = set(self.board.values())
        flags = all(piece in homes for piece in self.first_position.values() if piece.rank == "flag")
        able = {piece.seat for piece in homes if piece.rank not in ("bomb", "flag")}
        return not flags or len(able) < 2

    def ending(self):
        """Return (winner, ending) after the last action, or None."""
        if self.phase != "turn" or self.begun:
            return self.ended_at_once()
        return super().ending()

    def limit_reached(self):
        if self.no_attack_plies and self.quiet >= self.no_attack_plies:
            return None, "no_attack_limit"
        return (None, "ply_limit") if self.max_plies and self.plies >= self.max_plies else None
