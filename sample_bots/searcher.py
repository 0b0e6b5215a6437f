"""A bot that searches possible worlds: complete games that agree with all that it knows, with the hidden ranks drawn.

It extends the strategist in five ways:

1. `draw_guarded_deployment`: it deploys at random behind a guarded flag, so that no opponent can know its deployments.
2. `habits`: estimates of the hidden ranks, learned from recorded games.
3. `Searcher._draw_world`: `KnownGame` of the arbiter's rules draws the hidden ranks by these estimates.  Searching such
   worlds as if all was known, and averaging, is "perfect information Monte Carlo" (Ginsberg, GIB, 2001; Long and
   others, 2010, on when it works).
4. `lookahead`: alpha-beta search of the fights in each world.
5. `Searcher._search_worlds`: all moves are searched two turns deep, the best third of them four turns, and so on
   ("sequential halving": Karnin and others, 2013).  What our attack on a hidden piece gains at once is not an average
   over the worlds but known exactly, so it is put in the place of that average (a "control variate").

The clock decides how deep it searches.  With SEARCHER_NODES it is limited by positions instead, and the same seed gives
the same game.
"""

from collections import Counter
from time import perf_counter, process_time
from typing import Final

from arbiter.api import ConfigError, KnownGame
from protocol.bot import Choice, Game, Turn, run
from protocol.words import RED, AnyAction, Deploy, Move, Place
from sample_bots.beliefs import IMMOVABLE
from sample_bots.fights import value
from sample_bots.habits import HabitEstimates
from sample_bots.lookahead import PER_TURN, Lookahead, OutOfTimeError, World, read_setting
from sample_bots.setups import count_ranks
from sample_bots.strategist import Strategist
from sample_bots.tracker import FIRST_MOVE, STEP_BACK

SECONDS: Final = read_setting("SECONDS", 0.5)  # the most processor time of a move
NODES: Final = int(read_setting("NODES", 0))  # the most positions of a move; 0: the time decides
PART_OF_BANK: Final = 0.01  # of the time in the bank, for a move
PART_OF_INCREMENT: Final = 0.7
PART_OF_TURN: Final = 0.4  # of the time that this answer may take
PART_FOR_DRAWING: Final = 0.3  # of the time, for drawing worlds
WORLDS: Final = int(read_setting("WORLDS", 12))
MAX_DEPTH: Final = 8  # turns
KEEP: Final = 3  # one of so many moves is searched deeper
FEW: Final = 20  # pieces of both sides
REACH: Final = int(read_setting("REACH", 2))  # steps to the nearest enemy; only pieces as near as this are searched
REACH_OF_FEW: Final = int(read_setting("REACH_OF_FEW", 4))  # if there are few pieces
PRECIOUS: Final = {"marshal": read_setting("MARSHAL", 1.6), "general": read_setting("GENERAL", 1.4)}
RESULTS: Final = {"win": 1, "draw": 0, "loss": -1}
EVERYTHING: Final = 1e9  # more than any gain

Candidate = Move | None  # None stands for all moves that change nothing near an enemy


class Searcher(Strategist):
    """One game of the searcher."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self.known: KnownGame | None = None
        self._noted: Turn | None = None
        if game.board is None:
            return
        try:
            self.known = KnownGame(game.rules, game.seat)
        except ConfigError:  # rules that are unknown here: play like the strategist
            return
        squares = {place: number for number, place in enumerate(game.board.squares)}
        self.squares = squares
        ranks = list(game.rules.army)
        self.lookahead = Lookahead(
            [[squares[one] for one in game.board.neighbours[place]] for place in squares],
            [[[squares[one] for one in ray] for ray in game.board.rays[place]] for place in squares],
            {(one, other): RESULTS[game.fight(one, other)] for one in ranks for other in ranks},
        )

    def new_beliefs(self, game: Game) -> HabitEstimates:
        """Return the estimates that this bot uses."""
        return HabitEstimates(game)

    # --- what it knows ----------------------------------------------------------------------------

    def deploy(self, turn: Turn) -> AnyAction:
        """Draw a deployment with a guarded flag."""
        if self.game.board is None:
            return super().deploy(turn)
        self._note_news(turn)
        action = Deploy(pieces=draw_guarded_deployment(self.game))
        if self.known is not None:
            self.known.note_action(action)
        return action

    def choose(self, turn: Turn) -> AnyAction | Choice:
        """Return the best action."""
        began, used = perf_counter(), process_time()
        allowed = allowed_seconds(turn)

        def is_late(part: float = 1) -> bool:
            """Return True if more than a part of the time is over: that of the clock, or the processor time."""
            return perf_counter() - began > part * allowed or process_time() - used > part * SECONDS

        self.is_late = is_late
        self._note_news(turn)
        self.note = ""
        self.evaluation: float | None = None
        action = super().choose(turn)
        if self.known is not None:
            self.known.note_action(action)
        return Choice(action, note=self.note or None, eval=self.evaluation)

    def _note_news(self, turn: Turn) -> None:
        """Note the news once, even if an answer is refused."""
        if self.known is not None and self._noted is not turn:
            self._noted = turn
            try:
                self.known.note_facts(turn.news)
            except ValueError:  # more than the arbiter's rules understand: play like the strategist
                self.known = None

    def cost_of_loss(self, rank: str) -> float:
        """Return the cost of losing a piece; the strongest are worth more to us than to an enemy that hunts them."""
        return super().cost_of_loss(rank) * PRECIOUS.get(rank, 1)

    # --- the search -------------------------------------------------------------------------------

    def find_best(self, turn: Turn) -> AnyAction:
        """Return the action with the highest score after the search of all worlds."""
        if self.known is None or turn.phase != "turn":
            return super().find_best(turn)
        self._list_pieces()
        self.lookahead.begin(frozenset(self.beliefs.runners), lambda nodes: nodes >= NODES if NODES else self.is_late())
        plans = {action: self._plan(action) for action in turn.legal if isinstance(action, Move)}
        near = {place for place, is_near in zip(self.places, self.near, strict=True) if is_near}
        active = [move for move in plans if move.src in near or move.dst in self.foes]
        quiet = max((plan for move, plan in plans.items() if move not in set(active)), default=-EVERYTHING)
        gains, depth = self._search_worlds(turn, active, {**plans, None: quiet})
        self.if_quiet = gains[None]
        scored = []
        for action in turn.legal:
            if not isinstance(action, Move):
                score = self.score(action)
            elif action in gains or action not in active:
                score = gains.get(action, gains[None]) + plans[action]
            else:
                continue  # it was worse in a shallower search
            scored.append((score, turn.rng.random(), action))
        best = max(scored, key=lambda one: one[:2])
        self.evaluation = best[0]
        self.note = f"depth {depth}, {self.lookahead.nodes} positions"
        return best[2]

    def _list_pieces(self) -> None:
        """List all pieces, ours first: their squares, whether they are known to their opponent and near to it."""
        self.places = [*self.own, *self.foes]
        self.numbers = {place: number for number, place in enumerate(self.places)}
        steps = self.game.board.steps
        self.few = len(self.places) <= FEW
        reach = REACH_OF_FEW if self.few else REACH
        meetings = [(place, at) for place in self.own for at in self.foes if steps(place).get(at, reach + 1) <= reach]
        met = {place for meeting in meetings for place in meeting}
        if self.few:
            met |= {place for place, (rank, _) in self.own.items() if rank in self.beliefs.runners}
        self.near = [place in met for place in self.places]
        self.shown = [exposed for _, exposed in self.own.values()] + [foe.known for foe in self.foes.values()]
        ranks = {rank for rank, _ in self.own.values()} - IMMOVABLE
        self.averages = [{} for _ in self.own] + [
            {rank: self.expected_gain(rank, foe) for rank in ranks} for foe in self.foes.values()
        ]

    def _draw_world(self, turn: Turn) -> World:
        """Draw the hidden ranks."""
        weights = {place: foe.chances for place, foe in self.foes.items()}
        state = self.known.sample(turn.rng, weights)
        drawn = {piece.place: piece.rank for piece in state.view(self.game.enemy).pieces}
        own = [rank for rank, _ in self.own.values()]
        others = [drawn[place] for place in self.foes]
        return World(
            ours=len(own),
            squares=[self.squares[place] for place in self.places],
            ranks=own + others,
            worth=[self.cost_of_loss(rank) for rank in own] + [value(rank) for rank in others],
            shown=self.shown,
            near=self.near,
            averages=self.averages,
            runs=self.few,
        )

    def _search_worlds(
        self, turn: Turn, active: list[Move], plans: dict[Candidate, float]
    ) -> tuple[dict[Candidate, float], int]:
        """Return the average gain of each move that was searched as deep as the time allowed, and this depth."""
        gains: dict[Candidate, float] = {None: 0.0, **{move: self._gain_at_once(move) for move in active}}
        if not active:
            return gains, 0
        hidden = any(not foe.known for foe in self.foes.values())
        reached = 0
        try:
            worlds: list[World] = []
            while len(worlds) < (WORLDS if hidden else 1) and (NODES or not self.is_late(PART_FOR_DRAWING)):
                worlds.append(self._draw_world(turn))
            if not worlds:
                return gains, 0
            candidates = list(gains)
            for depth in range(2, MAX_DEPTH + 1, 2):
                totals = dict.fromkeys(candidates, 0.0)
                for world in worlds:
                    self._add_gains(world, depth, totals)
                gains, reached = {one: total / len(worlds) for one, total in totals.items()}, depth
                candidates.sort(key=lambda one: gains[one] + plans[one], reverse=True)
                candidates = list(dict.fromkeys([*candidates[: max(2, len(candidates) // KEEP)], None]))
        except OutOfTimeError:
            pass
        return gains, reached

    def _gain_at_once(self, move: Move) -> float:
        """Return the average gain of a move before the enemy's answer."""
        return self.expected_gain(self.own[move.src][0], self.foes[move.dst]) if move.dst in self.foes else 0.0

    def _add_gains(self, world: World, depth: int, totals: dict[Candidate, float]) -> None:
        """Add the gain of each move in a world."""
        look = self.lookahead
        look.set_up(world)
        for move in totals:
            if move is None:
                totals[move] += PER_TURN * look.enemy_turn(depth - 1, -EVERYTHING, EVERYTHING)
            else:
                piece, square = self.numbers[move.src], self.squares[move.dst]
                totals[move] += look.own_move(piece, square, depth, -EVERYTHING, EVERYTHING, is_first=True)

    def _plan(self, move: Move) -> float:
        """Return what a move is worth besides fights near it: the way to good fights, and the safety of the flag."""
        rank, exposed = self.own[move.src]
        cost = self.flag_guard.cost_of_move(rank, move.src, move.dst)
        if not exposed and move.src not in self.beliefs.moved:
            cost += FIRST_MOVE
        if move.dst in self.foes:
            return -cost
        if self.came_from.get(move.src) == move.dst:
            cost += STEP_BACK
        return self.prospect(rank, move.dst) - self.prospect(rank, move.src) - cost


def allowed_seconds(turn: Turn) -> float:
    """Return the time that a move may take by the clock."""
    bank = (turn.clock.red_ms if turn.seat == RED else turn.clock.blue_ms) / 1000
    return min(PART_OF_BANK * bank + PART_OF_INCREMENT * turn.game.time.increment_s, PART_OF_TURN * turn.seconds_left)


# --- the deployment -----------------------------------------------------------------------------------

CANDIDATES: Final = 60
FLAG_ROWS: Final = (12, 3, 0.3, 0)  # relative chance of the flag on the 1st .. 4th row
FRONT: Final = 3  # the row at the enemy
PREFERRED_ROW: Final = {"miner": 0.8, "bomb": 0.8, "spy": 1.2, "scout": 2.0, "general": 2.0}  # others: 1.8
COVER: Final = {"bomb": 3.0, "spy": 0.3, "scout": 0.5, "miner": 0.8}  # value of a piece next to the flag; others: 1.2
OPEN: Final = -4.0  # value of an empty square next to the flag
APART: Final = 0.3  # value of each file between marshal and general, up to four
SURPRISE: Final = 3.0  # a random part of the judgement


def draw_guarded_deployment(game: Game) -> dict[Place, str]:
    """Draw some deployments, and return the one with the best guarded flag."""
    usual = count_ranks(game.seat, game.board.rows)
    candidates = [draw_candidate(game, usual) for _ in range(CANDIDATES)]
    return max(candidates, key=lambda pieces: judge_deployment(game, pieces))


def draw_candidate(game: Game, usual: dict[Place, Counter[str]]) -> dict[Place, str]:
    """Draw the flag, bombs near it, and the other ranks on squares that are usual for them, in about their rows."""
    rng = game.rng
    free = list(game.rules.deploy[game.seat])
    depth = {place: game.board.depth(place, game.seat) for place in free}
    home = rng.choices(free, [FLAG_ROWS[min(depth[place], 3)] for place in free])[0]
    steps = game.board.steps(home)
    is_small = 2 * sum(game.rules.army.values()) < len(free)  # otherwise the flag is covered anyway

    def weigh(place: Place, rank: str) -> float:
        if rank == "bomb":
            return 8.0 if steps[place] == 1 else 1 + 3 / steps[place]
        distance = abs(depth[place] - PREFERRED_ROW.get(rank, 1.8))
        return (0.3 + usual.get(place, Counter())[rank]) * (4 if is_small and steps[place] == 1 else 0.5**distance)

    pieces = {home: "flag"}
    free.remove(home)
    army = [rank for rank, count in game.rules.army.items() for _ in range(count) if rank != "flag"]
    for rank in sorted(army, key=lambda rank: rank != "bomb"):
        place = rng.choices(free, [weigh(place, rank) for place in free])[0]
        pieces[place] = rank
        free.remove(place)
    return pieces


def judge_deployment(game: Game, pieces: dict[Place, str]) -> float:
    """Return how good a deployment is: a covered flag, marshal and general apart, a front that can move."""
    home = next(place for place, rank in pieces.items() if rank == "flag")
    around = game.board.neighbours[home]
    cover = [COVER.get(pieces[place], 1.2) if place in pieces else OPEN for place in around]
    files = {rank: ord(place[0]) for place, rank in pieces.items()}
    apart = abs(files.get("marshal", 0) - files.get("general", 0)) if {"marshal", "general"} <= files.keys() else 0
    front = sum(rank not in IMMOVABLE for place, rank in pieces.items() if game.board.depth(place, game.seat) == FRONT)
    return 2 * sum(cover) / len(cover) + APART * min(apart, 4) + front / 6 + SURPRISE * game.rng.random()


if __name__ == "__main__":
    run(Searcher, name="searcher", wants=["legal"])
