"""A program of the UCC competition that keeps its own board and checks every line that it receives.

It plays random legal moves; its first argument is the seed.  With `sloppy` as the second, its lines are less regular.
"""

import random
import re
import sys

ROWS = ["FB8sB479B8", "BB31555583", "6724898974", "967B669999"]
DIRECTIONS = {"UP": (0, -1), "DOWN": (0, 1), "LEFT": (-1, 0), "RIGHT": (1, 0)}
MOVE = re.compile(r"(\d) (\d) (UP|DOWN|LEFT|RIGHT)(?: (\d))? (OK|VICTORY_FLAG|(KILLS|DIES|BOTHDIE) ([\dsB]) ([\dsBF]))")
QUIT = re.compile(r"QUIT (player|opponent) (RED|BLUE) (VICTORY|DRAW|DRAW_DEFAULT|SURRENDER|ILLEGAL) \d+ \d+ \d+")


def receive():
    line = sys.stdin.readline()
    assert line.endswith("\n"), "the end of the input, without QUIT"
    return line[:-1]


class Program:
    def __init__(self, seed, style):
        self.rng = random.Random(seed)
        self.sloppy = style == "sloppy"
        self.last_answer = ""

    def send(self, line):
        if self.sloppy:
            print("thinking", file=sys.stderr)
            line = f"\n  {line.lower()}\t \r"
        print(line, flush=True)

    def run(self):
        self.set_up()
        line = "START" if self.is_red else self.receive_move(mine=False)
        assert not self.is_red or receive() == "START"
        while line and self.is_asked():
            self.send(self.choose())
            line = self.receive_move(mine=True) and self.receive_move(mine=False)

    def set_up(self):
        colour, opponent, width, height = receive().split(" ")
        assert (opponent, width, height) == ("opponent", "10", "10")
        self.is_red = colour == "RED"
        assert self.is_red or colour == "BLUE"
        for row in ROWS if self.is_red else ROWS[::-1]:
            self.send(row)
        mine = list("".join(ROWS if self.is_red else ROWS[::-1]))
        theirs = list("#" * 40)
        lakes = list("..++..++.." * 2)
        flat = mine + lakes + theirs if self.is_red else theirs + lakes + mine
        # The character of each square that is not empty.
        self.board = {(i % 10, i // 10): sign for i, sign in enumerate(flat) if sign != "."}
        self.mine = {square for square, sign in self.board.items() if sign not in "#+"}

    def is_asked(self):
        for y in range(10):
            known = "".join(self.read_sign(x, y) for x in range(10))
            row = receive()
            if y == 0 and row.startswith("QUIT"):
                return self.check_end(row)
            assert row == known, f"row {y} is {row}, and was {known}"
        return True

    def read_sign(self, x, y):
        sign = self.board.get((x, y), ".")
        return sign if (x, y) in self.mine or sign in ".+" else "#"

    def choose(self):
        moves = [move for square in sorted(self.mine) for move in self.list_moves(square)]
        self.last_answer = self.rng.choice(moves) if moves else "NO_MOVE"
        return self.last_answer

    def list_moves(self, square):
        sign = self.board[square]
        for direction, (right, down) in DIRECTIONS.items() if sign not in "BF" else ():
            for steps in range(1, 10 if sign == "9" else 2):
                there = square[0] + steps * right, square[1] + steps * down
                if (
                    not (0 <= there[0] <= 9 and 0 <= there[1] <= 9)
                    or there in self.mine
                    or self.board.get(there) == "+"
                ):
                    break
                yield f"{square[0]} {square[1]} {direction}" + (
                    f" {steps}" if steps > 1 or self.rng.random() < 0.1 else ""
                )
                if there in self.board:
                    break

    def receive_move(self, *, mine):
        line = receive()
        if line.startswith("QUIT"):
            return self.check_end(line)
        expected = self.last_answer.lower() if self.sloppy else self.last_answer
        if mine:
            assert line.startswith(f"{expected} "), f"{expected} became {line}"
        found = MOVE.fullmatch(line.upper().replace(" S", " s") if mine and self.sloppy else line)
        assert found, f"not a move: {line!r}"
        self.make_move(found, mine=mine)
        return line

    def check_end(self, line):
        assert QUIT.fullmatch(line), line

    def make_move(self, found, *, mine):
        x, y, direction, steps, outcome, fight, attacker, defender = found.groups()
        src = int(x), int(y)
        right, down = DIRECTIONS[direction]
        dst = src[0] + int(steps or 1) * right, src[1] + int(steps or 1) * down
        ours, theirs = (src, dst) if mine else (dst, src)
        assert (src in self.mine) == mine
        assert (dst in self.board) == (outcome != "OK"), found[0]
        if fight:
            assert self.board[ours] == (attacker if mine else defender), found[0]
            assert self.board[theirs] in ("#", defender if mine else attacker), found[0]
            self.board[src], self.board[dst] = attacker, defender
        if fight in (None, "KILLS"):
            self.remove_piece(dst)
            self.board[dst] = self.board[src]
            self.mine |= {dst} if mine else set()
        if fight == "BOTHDIE":
            self.remove_piece(dst)
        self.remove_piece(src)

    def remove_piece(self, square):
        self.board.pop(square, None)
        self.mine.discard(square)


if __name__ == "__main__":
    Program(*sys.argv[1:2], "".join(sys.argv[2:])).run()
