"""A game whose actions are numbers, with the planes of both seats: the core of the environments."""

from collections.abc import Callable, Iterable, Sequence
from random import Random

from msgspec import Struct

from arbiter.arrays import NDArray, np
from arbiter.games.base import Addressed, IllegalAction, visible_to
from arbiter.games.board.diagram import write_piece, write_rows
from arbiter.games.board.play import BoardPlay
from arbiter.games.board.position import SIDE_OF
from arbiter.games.chance import SeededChance
from arbiter.games.ruleset import NO_OVERRIDES, Overrides
from arbiter.learning.actions import ActionTable, Mask, find_board_game
from arbiter.learning.masks import MoveTable, QuietMove, SeatMask
from arbiter.learning.planes import Layout, Observation, Planes, SeatPlanes
from protocol.bot.session import draw_deployment
from protocol.messages import Rules
from protocol.words import OPPONENT, SEATS, AnyAction, Deploy, Move, Moved, Place, RankId, Seat

Deployer = Callable[[Rules, Seat, Random], Deploy]
"""Chooses the deployment of a seat."""
SeenMove = tuple[tuple[Addressed, ...], tuple[int, int], tuple[int, int], QuietMove]
"""A move that is no attack: its facts, its squares as its seat and as the other sees them, and its effect on masks."""


class LearningRules:
    """A rule set as the environments play it: its numbered actions, its planes and its deployments.

    `deploy` chooses the deployments, by default at random; with None the agents place their pieces one by one.
    With `history`, planes show this many of the last actions.  The other arguments are those of
    `arbiter.api.start_game`.  Raises ConfigError if the rule set has no board or an argument makes no sense.
    """

    def __init__(
        self,
        rules: str = "barrage",
        *,
        options: Iterable[str] = (),
        overrides: Overrides = NO_OVERRIDES,
        position: str | None = None,
        deploy: Deployer | None = draw_deployment,
        history: int = 0,
    ) -> None:
        self.rules = find_board_game(rules, options, overrides, position)
        self.deploy = deploy
        deploys = deploy is None and position is None
        self.table = ActionTable(self.rules, deploys=deploys)
        self.moves = MoveTable(self.table, self.rules.board)
        self.layout = Layout(self.rules, deploys=deploys, history=history)
        self.quiet_moves = {
            seat: [self._see_move(seat, action) for action in self.table.actions[seat]] for seat in SEATS
        }
        """For each seat, the action of each number if it can be a move that is no attack, and its effects."""
        self.army: list[RankId] = [rank for rank, count in self.rules.army.items() for _ in range(count)]

    def _see_move(self, seat: Seat, action: AnyAction) -> SeenMove | None:
        if type(action) is not Move:
            return None
        facts = self.rules.tables.paths[action.src, action.dst].moved[SIDE_OF[seat]]
        own, other = (
            (self.layout.squares[viewer][fact.src], self.layout.squares[viewer][fact.dst])
            for viewer in (seat, OPPONENT[seat])
            for fact in visible_to(viewer, facts)
            if type(fact) is Moved
        )
        return facts, own, other, self.moves.find_quiet_move(seat, action)


class End(Struct, frozen=True):
    """The end of a game."""

    reward: float
    """That of the seat that acted last."""
    observation: Observation
    """The knowledge of this seat at the end; no action is legal."""
    info: dict[str, str | int]
    """The ending and the number of plies."""


class NumberedGame:
    """Games by one rule set, one after the other."""

    play: BoardPlay
    seat: Seat
    """The seat that is to act; at the end, the seat that acted last."""
    placed: dict[Place, RankId] | None
    """The pieces that the seat has placed so far; None after the setup phase."""
    planes: dict[Seat, SeatPlanes]

    def __init__(self, rules: LearningRules) -> None:
        self._rules = rules
        self._table = rules.table
        self._quiet_moves = rules.quiet_moves
        self._masks = {seat: SeatMask(rules.moves, seat) for seat in SEATS}
        self._random: Random | None = None

    def start(self, seed: int | None = None) -> None:
        """Begin a game.  After a seed, the sequence of games is always the same."""
        if seed is not None or self._random is None:
            self._random = Random(seed)
        rules = self._rules
        self.play = rules.rules.start(SeededChance(self._random.getrandbits(53)))
        self.planes = {seat: SeatPlanes(rules.layout, seat) for seat in SEATS}
        self._sides = {
            seat: (self.planes[seat], self._masks[seat], self.planes[other], self._masks[other])
            for seat, other in OPPONENT.items()
        }
        self.placed = {} if self.play.phase == "setup" else None
        self._note(self.play.opening)
        if self.placed is not None and rules.deploy is not None:
            description = rules.rules.describe(self.play.first)
            for seat in SEATS:
                self._carry_out_deployment(seat, rules.deploy(description, seat, self._random))
        self._select()

    def act(self, number: int) -> None:
        """Carry out an action of the seat.  Raises ValueError if it is illegal, and then changes nothing."""
        table, seat = self._table, self.seat
        if not 0 <= number < table.first_placement:
            self._place(seat, number)
            self._select()
            return
        action = table.actions[seat][number]
        try:
            facts = self.play.act(seat, action)
        except IllegalAction as refusal:
            raise ValueError(f"action {number} is illegal: {refusal}; see action_mask") from None
        seen = self._quiet_moves[seat][number]
        if seen is not None and seen[0] is facts:  # most plies
            _, own, other, move = seen
            planes, mask, their_planes, their_mask = self._sides[seat]
            planes.note_quiet_move(own)
            their_planes.note_quiet_move(other)
            mask.is_stale = mask.is_stale or mask.quiet_move is not None
            mask.quiet_move = move
            their_mask.passed |= move[2]
            if to_act := self.play.to_act:
                self.seat = to_act[0]
        else:
            self.planes[seat].note_action(action)
            self._note(facts)
            self._select()

    def _place(self, seat: Seat, number: int) -> None:
        """Put the next piece of the army on a square; the last one completes the deployment."""
        table = self._table
        if not 0 <= number < table.size:
            raise ValueError(f"action {number}: the actions are numbers from 0 to {table.size - 1}")
        place = table.placements[seat][number - table.first_placement]
        if self.placed is None or place in self.placed:
            raise ValueError(f"action {number} is illegal: no piece can be placed on {place} now; see action_mask")
        army = self._rules.army
        rank = army[len(self.placed)]
        self.placed[place] = rank
        self.planes[seat].note_placement(place, rank)
        if len(self.placed) == len(army):
            self._carry_out_deployment(seat, Deploy(pieces={**self.placed}))

    def _carry_out_deployment(self, seat: Seat, deployment: Deploy) -> None:
        self.planes[seat].note_action(deployment)
        self._note(self.play.act(seat, deployment))
        self.placed = {} if self.play.phase == "setup" else None

    def _note(self, facts: tuple[Addressed, ...]) -> None:
        for seat, planes in self.planes.items():
            planes.note_facts(visible_to(seat, facts))
            self._masks[seat].is_stale = True

    def observe(self) -> Observation:
        """Return what the seat that is to act may know, and its legal actions."""
        play, seat = self.play, self.seat
        return {
            "observation": self.planes[seat].observe(play.phase),
            "action_mask": self._masks[seat].find(play, self.placed),
        }

    def _select(self) -> None:
        if self.play.to_act:
            self.seat = self.play.to_act[0]

    def reward(self, seat: Seat) -> float:
        """Return the reward of a seat: 1 for a win, -1 for a loss, 0 for a draw and while the game is in progress."""
        winner = None if self.play.outcome is None else self.play.outcome.winner
        return 0.0 if winner is None else 1.0 if winner == seat else -1.0

    def describe_end(self) -> dict[str, str | int]:
        """Return the ending and the number of plies of a finished game; empty while it is in progress."""
        outcome = self.play.outcome
        return {} if outcome is None else {"ending": outcome.ending, "plies": self.play.plies}

    def draw(self) -> str:
        """Draw the position with the pieces of both sides."""
        board = self._rules.rules.board
        pieces = self.play.position.placed_pieces()
        signs = {board.names[piece.square]: write_piece(piece.seat, piece.rank) for piece in pieces}
        return write_rows(signs, board, self.play.to_act[0] if self.play.to_act else None)


class SeparateGames:
    """Several games by one rule set, one after the other at each step."""

    def __init__(self, rules: LearningRules, games: int) -> None:
        self._rules = rules
        self._games = [NumberedGame(rules) for _ in range(games)]

    def start(self, seeds: Sequence[int | None]) -> None:
        """Begin all games.  After a seed, the sequence of games is always the same."""
        for game, seed in zip(self._games, seeds, strict=True):
            game.start(seed)

    def act(self, numbers: NDArray[np.int64]) -> dict[int, End]:
        """Carry out a legal action in each game; begin those again that end, and return how they ended."""
        ends = {}
        for row, (game, number) in enumerate(zip(self._games, numbers.tolist(), strict=True)):
            game.act(number)
            if game.play.outcome is not None:
                mask = np.zeros(self._rules.table.size, np.int8)
                shown: Observation = {"observation": game.planes[game.seat].observe("turn"), "action_mask": mask}
                ends[row] = End(game.reward(game.seat), shown, game.describe_end())
                game.start()
        return ends

    def write(self) -> tuple[Planes, Mask]:
        """Return the planes and the masks of the seats that are to act."""
        planes = np.empty((len(self._games), *self._rules.layout.shape), np.int8)
        masks = np.empty((len(self._games), self._rules.table.size), np.int8)
        for row, game in enumerate(self._games):
            seen = game.observe()
            planes[row], masks[row] = seen["observation"], seen["action_mask"]
        return planes, masks

    @property
    def sides(self) -> NDArray[np.intp]:
        """The side that is to act in each game."""
        return np.array([SIDE_OF[game.seat] for game in self._games])

    def draw(self, row: int) -> str:
        """Draw the position of a game with the pieces of both sides."""
        return self._games[row].draw()
