"""A Gymnasium vector environment: many games, one ply of each at every step; it needs the extra `rl`."""

from collections.abc import Iterable, Sequence
from typing import Any

from arbiter.arrays import NDArray, np
from arbiter.errors import ConfigError
from arbiter.games.board.position import SIDE_OF
from arbiter.learning.actions import Mask
from arbiter.learning.game import LearningRules, NumberedGame
from arbiter.learning.planes import Observation, Planes

try:
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError as error:
    raise ImportError(f"{error.name} is missing; install it with: pip install 'stratego-arbiter[rl]'") from None

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
        self._games = [NumberedGame(self._rules) for _ in range(num_envs)]
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
        for game, one in zip(self._games, seed, strict=True):
            game.start(one)
        planes, masks, rows = self._new_arrays()
        for game, out, mask in rows:
            game.write(out, mask)
        return self._finish(planes, masks)

    def step(self, actions: NDArray[np.int64]) -> tuple[Observation, NDArray[Any], NDArray[Any], NDArray[Any], Infos]:
        """Carry out an action in each game.  Raises ValueError if one of them is illegal, and then changes nothing."""
        numbers = np.asarray(actions)
        self._check(numbers)
        rewards = np.zeros(self.num_envs)
        terminations = np.zeros(self.num_envs, np.bool_)
        ends: Infos = {}
        acts = numbers.tolist()
        planes, masks, rows = self._new_arrays()
        for row, (game, out, mask) in enumerate(rows):
            game.act(acts[row])
            if game.play.outcome is not None:
                rewards[row] = game.reward(game.seat)
                terminations[row] = True
                ends = self._add_info(ends, self._describe_end(game), row)
                game.start()
            game.write(out, mask)
        observation, infos = self._finish(planes, masks)
        return observation, rewards, terminations, np.zeros(self.num_envs, np.bool_), infos | ends

    def _describe_end(self, game: NumberedGame) -> Infos:
        """Return the last observation of the seat that acted last, and how the game ended."""
        mask = np.zeros(self.table.size, np.int8)
        observation = {"observation": game.planes[game.seat].observe("turn"), "action_mask": mask}
        return {"final_obs": observation, "final_info": game.describe_end()}

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

    def _new_arrays(self) -> tuple[Planes, Mask, Iterable[tuple[NumberedGame, Planes, Mask]]]:
        """Return arrays of planes and masks, and each game with its rows of them."""
        planes = np.empty((self.num_envs, *self.layout.shape), np.int8)
        masks = np.empty((self.num_envs, self.table.size), np.int8)
        squares = planes.reshape(self.num_envs, self.layout.board.size, -1)
        return planes, masks, zip(self._games, squares, masks, strict=True)

    def _finish(self, planes: Planes, masks: Mask) -> tuple[Observation, Infos]:
        self._legal = masks.copy()
        players = np.array([SIDE_OF[game.seat] for game in self._games], np.int8)
        return {"observation": planes, "action_mask": masks}, {"player": players}

    def render(self) -> tuple[str, ...] | None:
        """Draw the positions with the pieces of both sides, if `render_mode` is `ansi`."""
        return None if self.render_mode is None else tuple(game.draw() for game in self._games)
