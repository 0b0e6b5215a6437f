"""A program of the Infinibattle that keeps its own board and checks every line that it receives.

It plays random legal moves; its first argument is the seed.  With `wordy` as the second, it adds unknown fields.
"""

import json
import random
import sys

ARMY = ["Marshal", "General", "Miner", "Scout", "Scout", "Spy", "Bomb", "Flag"]
DIRECTIONS = ((0, -1), (0, 1), (-1, 0), (1, 0))
LAKES = {(x, y) for x in (2, 3, 6, 7) for y in (4, 5)}


def receive():
    line = sys.stdin.readline()
    return json.loads(line) if line else None


def point(square):
    return {"X": square[0], "Y": square[1]}


def square(value):
    assert set(value) == {"X", "Y"}
    return value["X"], value["Y"]


class Program:
    def __init__(self, seed, style):
        self.rng = random.Random(seed)
        self.extra_fields = {"Score": 0.5, "Rank": None} if style == "wordy" else {}
        self.turn = 0
        self.last_move = None

    def send(self, message):
        print(json.dumps({**self.extra_fields, **message}), flush=True)

    def run(self):
        print("bot-start", flush=True)
        self.set_up()
        while state := receive():
            assert set(state) == {"Board", "ActivePlayer", "BattleResult", "LastMove", "TurnNumber"}
            assert (state["TurnNumber"], state["ActivePlayer"]) == (self.turn, self.turn % 2)
            if self.turn:
                self.make_move(state["LastMove"], state["BattleResult"])
            else:
                assert (state["LastMove"], state["BattleResult"]) == (None, None)
                self.find_opponent(state["Board"])
            self.check_board(state["Board"])
            self.turn += 1
            if state["ActivePlayer"] == self.me:
                self.choose_move()

    def set_up(self):
        init = receive()
        assert set(init) == {"You", "AvailablePieces"}
        assert init["AvailablePieces"] == ARMY
        self.me = init["You"]
        assert self.me in (0, 1)
        home = [(x, y + 6 * self.me) for x in range(10) for y in range(4)]
        self.board = {there: (rank, self.me) for there, rank in zip(self.rng.sample(home, 8), ARMY, strict=True)}
        self.send({"Pieces": [{"Rank": rank, "Position": point(there)} for there, (rank, _) in self.board.items()]})

    def find_opponent(self, cells):
        found = {square(cell["Coordinate"]): cell for cell in cells if cell["Owner"] == 1 - self.me}
        assert len(found) == 8
        assert all(y // 6 == 1 - self.me for _, y in found)
        self.board |= dict.fromkeys(found, ("?", 1 - self.me))

    def check_board(self, cells):
        assert [square(cell["Coordinate"]) for cell in cells] == [(i % 10, i // 10) for i in range(100)]
        for cell in cells:
            there = square(cell["Coordinate"])
            assert set(cell) == {"Rank", "Owner", "IsWater", "Coordinate"}
            assert cell["IsWater"] == (there in LAKES)
            assert (cell["Rank"], cell["Owner"]) == self.board.get(there, (None, None)), cell

    def make_move(self, move, battle):
        assert set(move) == {"From", "To"}
        src, dst = square(move["From"]), square(move["To"])
        mover = (self.turn - 1) % 2
        assert mover != self.me or (src, dst) == self.last_move
        assert self.board[src][1] == mover
        assert (dst in self.board) == (battle is not None)
        if battle is not None:
            self.fight(src, dst, battle)
        else:
            self.board[dst] = self.board.pop(src)

    def fight(self, src, dst, battle):
        assert set(battle) == {"Winner", "Attacker", "Defender", "Position"}
        assert square(battle["Position"]) == dst
        fighters = [(battle[side]["Rank"], battle[side]["Player"]) for side in ("Attacker", "Defender")]
        for fighter, before in zip(fighters, (self.board.pop(src), self.board.pop(dst)), strict=True):
            assert fighter[1] == before[1]
            assert before[0] in ("?", fighter[0])
        left = [fighter for fighter in fighters if fighter[1] == battle["Winner"]]
        if battle["Winner"] is None:
            assert fighters[0][0] == fighters[1][0]
        else:
            (self.board[dst],) = left

    def choose_move(self):
        moves = [(src, dst) for src in sorted(self.board) for dst in self.list_targets(src)]
        self.last_move = src, dst = self.rng.choice(moves)
        self.send({"From": point(src), "To": point(dst)})

    def list_targets(self, src):
        rank, owner = self.board[src]
        for right, down in DIRECTIONS if owner == self.me and rank not in ("Bomb", "Flag") else ():
            for steps in range(1, 10 if rank == "Scout" else 2):
                there = src[0] + steps * right, src[1] + steps * down
                if not (0 <= there[0] <= 9 and 0 <= there[1] <= 9) or there in LAKES:
                    break
                if self.board.get(there, (None, None))[1] != self.me:
                    yield there
                if there in self.board:
                    break


if __name__ == "__main__":
    Program(*sys.argv[1:2], "".join(sys.argv[2:])).run()
