"""A PettingZoo AEC environment for every board rule set; it needs the extra `rl`."""

from collections.abc import Callable, Iterable
from random import Random
from typing import Any, ClassVar, Final

from arbiter.arrays import np
from arbiter.errors import IllegalAction
from arbiter.games.base import visible_to
from arbiter.games.board.diagram import write_piece, write_rows
from arbiter.games.board.play import BoardPlay
from arbiter.games.chance import SeededChance
from arbiter.games.ruleset import NO_OVERRIDES, Overrides
from arbiter.learning.actions import ActionTable, find_board_game
from arbiter.learning.planes import Layout, Observation, SeatPlanes
from protocol.bot.session import draw_deployment
from protocol.messages import Rules
from protocol.words import BLUE, OPPONENT, RED, SEATS, Deploy, Place, RankId, Seat

try:
    from gymnasium import spaces
    from gymnasium.utils import EzPickle
    from pettingzoo.utils import wrappers
    from pettingzoo.utils.env import AECEnv
except ImportError as error:
    raise ImportError(f"{error.name} is missing; install it with: pip install 'stratego-arbiter[rl]'") from None

Deployer = Callable[[Rules, Seat, Random], Deploy]
"""Chooses the deployment of a seat."""
AGENT_OF: Final[dict[Seat, str]] = {RED: "player_0", BLUE: "player_1"}
SEAT_OF: Final = {agent: seat for seat, agent in AGENT_OF.items()}
AGENTS: Final = tuple(AGENT_OF.values())


def env(rules: str = "barrage", **settings: Any) -> Any:  # noqa: ANN401 - the settings of StrategoEnv; an untyped class
    """Return an environment that loses the game of an agent after an illegal action; arguments as in `StrategoEnv`."""
    wrapped = wrappers.TerminateIllegalWrapper(StrategoEnv(rules, **settings), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrapped))


class StrategoEnv(AECEnv, EzPickle):  # type: ignore[misc] # AECEnv has no types
    """A game of two agents, without wrappers: `player_0` is red, `player_1` blue.

    `deploy` chooses the deployments, by default at random; with None the agents place their pieces one by one.
    The other arguments are those of `arbiter.api.start_game`.
    Raises ConfigError if the rule set has no board or an argument makes no sense.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "stratego_v0",
        "render_modes": ["ansi"],
        "is_parallelizable": False,
    }

    def __init__(
        self,
        rules: str = "barrage",
        *,
        options: Iterable[str] = (),
        overrides: Overrides = NO_OVERRIDES,
        position: str | None = None,
        deploy: Deployer | None = draw_deployment,
        render_mode: str | None = None,
    ) -> None:
        EzPickle.__init__(
            self,
            rules,
            options=tuple(options),
            overrides=overrides,
            position=position,
            deploy=deploy,
            render_mode=render_mode,
        )
        super().__init__()
        self._rules = find_board_game(rules, options, overrides, position)
        self._deploy = deploy
        self.render_mode = render_mode
        deploys = deploy is None and position is None
        self.table = ActionTable(self._rules, deploys=deploys)
        self.layout = Layout(self._rules, deploys=deploys)
        self._army: list[RankId] = [rank for rank, count in self._rules.army.items() for _ in range(count)]
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, np.iinfo(np.int8).max, self.layout.shape, np.int8),
                    "action_mask": spaces.Box(0, 1, (self.table.size,), np.int8),
                }
            )
            for agent in AGENTS
        }
        self.action_spaces = {agent: spaces.Discrete(self.table.size) for agent in AGENTS}
        self._random: Random | None = None

    def observation_space(self, agent: str) -> spaces.Dict:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        return self.action_spaces[agent]

    # --- a game -----------------------------------------------------------------------------------

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Begin a game.  After a seed, the sequence of games is always the same; there are no options."""
        if seed is not None or self._random is None:
            self._random = Random(seed)
        self._play: BoardPlay = self._rules.start(SeededChance(self._random.getrandbits(53)))
        self._planes = {seat: SeatPlanes(self.layout, seat) for seat in SEATS}
        self._placed: dict[Place, RankId] = {}
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self._facts = list(self._play.opening)
        self._noted = dict.fromkeys(SEATS, 0)
        if self._play.phase == "setup" and self._deploy is not None:
            description = self._rules.describe(self._play.first)
            for seat in SEATS:
                self._carry_out_deployment(seat, self._deploy(description, seat, self._random))
        self._select()

    def step(self, action: int | None) -> None:
        """Carry out an action of the agent in `agent_selection`.

        Raises ValueError if the action is illegal, and then changes nothing.
        """
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        number = -1 if action is None else int(action)
        if not 0 <= number < self.table.size:
            raise ValueError(f"action {action!r}: the actions are numbers from 0 to {self.table.size - 1}")
        seat = self._seat
        if number >= self.table.first_placement:
            self._place(seat, number)
        else:
            act = self.table.actions[seat][number]
            self._planes[seat].note_action(act)
            try:
                facts = self._play.act(seat, act)
            except IllegalAction as refusal:
                raise ValueError(f"action {number} is illegal: {refusal}; see action_mask") from None
            self._facts += facts
        self._select()

    def _place(self, seat: Seat, number: int) -> None:
        """Put the next piece of the army on a square; the last one completes the deployment."""
        place = self.table.placements[seat][number - self.table.first_placement]
        if self._play.phase != "setup" or place in self._placed:
            raise ValueError(f"action {number} is illegal: no piece can be placed on {place} now; see action_mask")
        rank = self._army[len(self._placed)]
        self._placed[place] = rank
        self._planes[seat].note_placement(place, rank)
        if len(self._placed) == len(self._army):
            pieces: dict[Place, str] = {**self._placed}
            self._placed = {}
            self._carry_out_deployment(seat, Deploy(pieces=pieces))

    def _carry_out_deployment(self, seat: Seat, deployment: Deploy) -> None:
        self._planes[seat].note_action(deployment)
        self._facts += self._play.act(seat, deployment)

    def _select(self) -> None:
        """Select the agent that is to act, or end the game."""
        outcome = self._play.outcome
        if outcome is None:
            self._seat = self._play.to_act[0]
            self.agent_selection = AGENT_OF[self._seat]
            return
        for seat, agent in AGENT_OF.items():
            self.rewards[agent] = 0.0 if outcome.winner is None else 1.0 if seat == outcome.winner else -1.0
            self.terminations[agent] = True
            self.infos[agent] = {"ending": outcome.ending, "plies": self._play.plies}
        self._accumulate_rewards()
        self.agent_selection = AGENT_OF[OPPONENT[self._seat]]

    def observe(self, agent: str) -> Observation:
        """Return what an agent may know now, and its legal actions if it is to act."""
        seat = SEAT_OF[agent]
        play = self._play
        planes = self._planes[seat]
        planes.note_facts(visible_to(seat, self._facts[self._noted[seat] :]))
        self._noted[seat] = len(self._facts)
        if seat not in play.to_act or seat != self._seat:  # both are to act in the setup phase
            return {"observation": planes.observe("turn"), "action_mask": self.table.mask(seat, ())}
        placed = self._placed if play.phase == "setup" else None
        mask = self.table.mask(seat, play.legal_actions(seat), placed)
        return {"observation": planes.observe(play.phase), "action_mask": mask}

    def render(self) -> str | None:
        """Draw the position with the pieces of both sides, if `render_mode` is `ansi`."""
        if self.render_mode is None:
            return None
        board = self._rules.board
        pieces = self._play.position.placed_pieces()
        signs = {board.names[piece.square]: write_piece(piece.seat, piece.rank) for piece in pieces}
        return write_rows(signs, board, self._play.to_act[0] if self._play.to_act else None)

    def close(self) -> None:
        """Do nothing: there is nothing to close."""
