"""A Gymnasium vector environment: many games, one ply of each at every step; it needs the extra `rl`."""

from collections.abc import Sequence
from typing import Any, Final

from arbiter.arrays import NDArray, np
from arbiter.errors import ConfigError
from arbiter.learning.batch import GameBatch, can_batch
from arbiter.learning.game import LearningRules, SeparateGames
from arbiter.learning.planes import Observation

try:
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError as error:
    raise ImportError(f"{error.name} is missing; install it with: pip install 'stratego-arbiter[rl]'") from None

BATCH_FROM: Final = 32
"""Number of games from which on they are faster as arrays."""
Infos = dict[str, Any]
"""Additional arrays; `player` is the number of the seat that is to act in each game: 0 for red, 1 for blue."""


def describe_observations(rules: LearningRules) -> spaces.Dict:
    """Return the space of the observations of one game."""
    return spaces.Dict(
        {
            "observation": spaces.Box(0, np.iinfo(np.int8).max, rules.layout.shape, np.int8),
            "action_mask": spaces.Box(0, 1, (rules.table.size,), np.int8),
        }
    )


class StrategoVectorEnv(VectorEnv[Observation, NDArray[np.int64], NDArray[Any]]):
    """`num_envs` games; at each step, the seat that is to act in each of them acts.

    An observation is that of the seat that is to act next, and a reward that of the seat that has just acted.
    A game that ends is replaced in the same step (Gymnasium's `AutoresetMode.SAME_STEP`).
    The other arguments are those of `LearningRules`.
    """

    metadata = {  # noqa: RUF012 - as in Gymnasium
        "name": "stratego_v0",
        "render_modes": ["ansi"],
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }

    def __init__(
        self,
        num_envs: int,
        rules: str = "barrage",
        *,
        render_mode: str | None = None,
        **settings: Any,  # noqa: ANN401 - as in LearningRules
    ) -> None:
        if num_envs < 1:
            raise ConfigError(f"num_envs is {num_envs}; write the number of games, 1 or more")
        self._rules = LearningRules(rules, **settings)
        self.table = self._rules.table
        self.layout = self._rules.layout
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.single_observation_space = describe_observations(self._rules)
        self.single_action_space = spaces.Discrete(self.table.size)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        is_batch = num_envs >= BATCH_FROM and can_batch(self._rules)
        self._games = (GameBatch if is_batch else SeparateGames)(self._rules, num_envs)
        self._legal = np.zeros((num_envs, self.table.size), np.int8)  # the masks of the last observation
        self._rows = np.arange(num_envs)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002
    ) -> tuple[Observation, Infos]:
        """Begin all games.  A number as seed gives the first game this seed, the second the next, and so on.

        After its seed, each game and those that follow it are always the same; there are no options.
        """
        if seed is None or isinstance(seed, int):
            seed = [None if seed is None else seed + row for row in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise ValueError(f"{len(seed)} seeds for {self.num_envs} games; give one seed for each, or a single number")
        self._games.start(seed)
        return self._observe()

    def step(self, actions: NDArray[np.int64]) -> tuple[Observation, NDArray[Any], NDArray[Any], NDArray[Any], Infos]:
        """Carry out an action in each game.  Raises ValueError if one of them is illegal, and then changes nothing."""
        numbers = np.asarray(actions)
        self._check(numbers)
        rewards = np.zeros(self.num_envs)
        terminations = np.zeros(self.num_envs, np.bool_)
        ends: Infos = {}
        for row, end in self._games.act(numbers).items():
            rewards[row] = end.reward
            terminations[row] = True
            ends = self._add_info(ends, {"final_obs": end.observation, "final_info": end.info}, row)
        observation, infos = self._observe()
        return observation, rewards, terminations, np.zeros(self.num_envs, np.bool_), infos | ends

    def _check(self, numbers: NDArray[Any]) -> None:
        if numbers.shape != (self.num_envs,) or numbers.dtype.kind not in "iu":
            raise ValueError(
                f"the actions are an array {numbers.shape} of {numbers.dtype}; "
                f"give an array of {self.num_envs} integers, one for each game"
            )
        legal = (numbers >= 0) & (numbers < self.table.size)
        legal &= self._legal[self._rows, numbers * legal].view(np.bool_)
        if not legal.all():
            row = int(legal.argmin())
            raise ValueError(f"action {numbers[row]} of game {row} is illegal; see action_mask")

    def _observe(self) -> tuple[Observation, Infos]:
        planes, masks = self._games.write()
        self._legal = masks.copy()
        return {"observation": planes, "action_mask": masks}, {"player": self._games.sides.astype(np.int8)}

    def render(self) -> tuple[str, ...] | None:
        """Draw the positions with the pieces of both sides, if `render_mode` is `ansi`."""
        return None if self.render_mode is None else tuple(map(self._games.draw, range(self.num_envs)))
