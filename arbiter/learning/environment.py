"""A PettingZoo AEC environment for every board rule set; it needs the extra `rl`."""

from typing import Any, ClassVar, Final

from arbiter.arrays import np
from arbiter.learning.game import LearningRules, NumberedGame
from arbiter.learning.planes import Observation
from arbiter.learning.vector import describe_observations
from protocol.words import BLUE, OPPONENT, RED, Seat

try:
    from gymnasium import spaces
    from gymnasium.utils import EzPickle
    from pettingzoo.utils import wrappers
    from pettingzoo.utils.env import AECEnv
except ImportError as error:
    raise ImportError(f"{error.name} is missing; install it with: pip install 'stratego-arbiter[rl]'") from None

AGENT_OF: Final[dict[Seat, str]] = {RED: "player_0", BLUE: "player_1"}
SEAT_OF: Final = {agent: seat for seat, agent in AGENT_OF.items()}
AGENTS: Final = tuple(AGENT_OF.values())


def env(rules: str = "barrage", **settings: Any) -> Any:  # noqa: ANN401 - the settings of StrategoEnv; an untyped class
    """Return an environment that loses the game of an agent after an illegal action; arguments as in `StrategoEnv`."""
    wrapped = wrappers.TerminateIllegalWrapper(StrategoEnv(rules, **settings), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrapped))


class StrategoEnv(AECEnv, EzPickle):  # type: ignore[misc] # AECEnv has no types
    """A game of two agents, without wrappers: `player_0` is red, `player_1` blue.

    The arguments are those of `LearningRules`.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "stratego_v0",
        "render_modes": ["ansi"],
        "is_parallelizable": False,
    }

    def __init__(self, rules: str = "barrage", *, render_mode: str | None = None, **settings: Any) -> None:  # noqa: ANN401 - as in LearningRules
        EzPickle.__init__(self, rules, render_mode=render_mode, **settings)
        super().__init__()
        learning_rules = LearningRules(rules, **settings)
        self.table = learning_rules.table
        self.layout = learning_rules.layout
        self.render_mode = render_mode
        self._game = NumberedGame(learning_rules)
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        self.agent_selection: str
        self.observation_spaces = {agent: describe_observations(learning_rules) for agent in AGENTS}
        self.action_spaces = {agent: spaces.Discrete(self.table.size) for agent in AGENTS}

    def observation_space(self, agent: str) -> spaces.Dict:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Begin a game.  After a seed, the sequence of games is always the same; there are no options."""
        self._game.start(seed)
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self._select()

    def step(self, action: int | None) -> None:
        """Carry out an action of the agent in `agent_selection`.

        Raises ValueError if the action is illegal, and then changes nothing.
        """
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        game = self._game
        game.act(-1 if action is None else int(action))
        if game.play.outcome is None:
            self.agent_selection = AGENT_OF[game.seat]
        else:
            self._select()

    def _select(self) -> None:
        """Select the agent that is to act, or end the game."""
        game = self._game
        self.agent_selection = AGENT_OF[game.seat]
        if game.play.outcome is None:
            return
        for seat, agent in AGENT_OF.items():
            self.rewards[agent] = game.reward(seat)
            self.terminations[agent] = True
            self.infos[agent] = game.describe_end()
        self._accumulate_rewards()
        self.agent_selection = AGENT_OF[OPPONENT[game.seat]]

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:  # noqa: FBT002 - as in PettingZoo
        """Return what the agent in `agent_selection` may know, its rewards, and if the game is over for it."""
        agent = self.agent_selection
        if not observe:
            shown = None
        elif self.terminations[agent]:
            shown = self.observe(agent)
        else:
            shown = self._game.observe()
        return (
            shown,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def observe(self, agent: str) -> Observation:
        """Return what an agent may know now, and its legal actions if it is to act."""
        game = self._game
        seat = SEAT_OF[agent]
        if seat == game.seat and game.play.to_act:
            return game.observe()
        return {"observation": game.planes[seat].observe("turn"), "action_mask": np.zeros(self.table.size, np.int8)}

    def render(self) -> str | None:
        """Draw the position with the pieces of both sides, if `render_mode` is `ansi`."""
        return None if self.render_mode is None else self._game.draw()

    def close(self) -> None:
        """Do nothing: there is nothing to close."""
