"""Tuning by SPSA: find values of parameters with which a bot plays better.

Simultaneous perturbation stochastic approximation (Spall, 1992), with the gains that fishtest and OpenBench use.  In
each iteration a bot with all values moved by a random step plays against itself with all values moved by the
opposite step.  The difference of won and lost games moves the values towards the better side.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from arbiter.errors import ConfigError
from arbiter.games.chance import derive_seed

ALPHA: Final = 0.602  # how fast the gain falls
GAMMA: Final = 0.101  # how fast the step falls
STABILITY: Final = 0.1  # share of the pairs of games after which the gain falls noticeably
DEFAULT_RATE: Final = 0.02
DEFAULT_STEP: Final = 0.15  # of the range
_PARTS: Final = 1_000_000
_NUMBER: Final = r"[+-]?\d+(?:\.\d+)?"
_PARAMETER: Final = re.compile(
    rf"(?P<name>[A-Za-z_]\w{{0,99}})=(?P<low>{_NUMBER})\.\.(?P<high>{_NUMBER})"
    rf"(?:@(?P<start>{_NUMBER}))?(?:/(?P<step>{_NUMBER}))?"
)

Values = Mapping[str, float]


class Parameter(Struct, frozen=True, kw_only=True):
    """A parameter of a bot."""

    name: str
    low: float
    high: float
    start: float
    step: float
    """Distance of the two values that play against each other from the current one, in the last iteration."""
    is_integer: bool
    """True if the bot gets whole numbers."""

    def clip(self, value: float) -> float:
        """Return the nearest value in the range."""
        return min(max(value, self.low), self.high)

    def write(self, value: float, rounding: float = 0.5) -> str:
        """Write a value for the bot.  A whole number is rounded up if its fraction is at least 1 - `rounding`."""
        return str(math.floor(value + rounding)) if self.is_integer else f"{value:.6g}"


def read_parameters(texts: Sequence[str], games: int) -> list[Parameter]:
    """Read the parameters of a tuning of so many games.  Raises ConfigError."""
    if games % 2:
        raise ConfigError(f"--games {games}: must be even, because games are played in pairs")
    parameters = [read_parameter(text) for text in texts]
    if len({one.name for one in parameters}) < len(parameters):
        raise ConfigError("--param: a parameter is given twice; remove one of them")
    return parameters


def read_parameter(text: str) -> Parameter:
    """Read `NAME=LOW..HIGH`, with `@START` and `/STEP` as options.  Raises ConfigError.

    A parameter is a whole number if LOW, HIGH and START are written without a decimal point.
    Default: start in the middle, steps of 15 % of the range, at least 1 for whole numbers.
    """
    found = _PARAMETER.fullmatch(text)
    if found is None:
        raise ConfigError(
            f"--param {text}: must be NAME=LOW..HIGH, such as depth=1..8 or speed=0.5..2.0; "
            "@START and /STEP may follow, as in depth=1..8@3/1"
        )
    low, high = float(found["low"]), float(found["high"])
    is_integer = not any("." in (found[part] or "") for part in ("low", "high", "start"))
    if low >= high:
        raise ConfigError(f"--param {text}: {found['low']} must be less than {found['high']}")
    middle = (low + high) / 2
    start = float(found["start"]) if found["start"] else float(math.floor(middle)) if is_integer else middle
    if not low <= start <= high:
        raise ConfigError(f"--param {text}: the start {found['start']} is not in the range")
    step = float(found["step"]) if found["step"] else DEFAULT_STEP * (high - low)
    if is_integer and not found["step"]:
        step = max(step, 1.0)
    if not 0 < step <= high - low:
        raise ConfigError(f"--param {text}: the step {found['step']} must be more than 0 and at most the range")
    return Parameter(name=found["name"], low=low, high=high, start=start, step=step, is_integer=is_integer)


class Iteration(Struct, frozen=True, kw_only=True, tag_field="type", tag="iteration"):
    """One iteration and its result."""

    pairs: int
    """Pairs of games played in all, this iteration included."""
    plus: dict[str, str]
    """Values of the one side, as the bot got them."""
    minus: dict[str, str]
    """Values of the other side."""
    won: int
    """Games won by the one side."""
    drawn: int
    lost: int
    values: dict[str, float]
    """Values after the iteration."""
    forfeits: dict[str, int] = {}
    """Numbers of games that ended by forfeit, of either side, by their endings."""


class Probe(Struct, frozen=True, kw_only=True):
    """The two sides of an iteration that is to be played."""

    plus: dict[str, str]
    minus: dict[str, str]
    steps: dict[str, float]
    """Signed step of each parameter on the one side."""
    gain: float
    pairs: int
    """Pairs of games to play."""


class Spsa:
    """The state of a tuning; it depends only on the settings and on the iterations so far."""

    def __init__(
        self, parameters: Sequence[Parameter], total_pairs: int, *, seed: int, rate: float = DEFAULT_RATE
    ) -> None:
        """Tune parameters with `total_pairs` pairs of games.

        `rate` is the movement of a value in the last iteration for one game more won than lost, in its steps.
        """
        self.parameters = tuple(parameters)
        self.total_pairs = total_pairs
        self.values: dict[str, float] = {one.name: one.start for one in parameters}
        self.pairs = 0
        self._seed = seed
        self._rate = rate

    def probe(self, pairs: int) -> Probe:
        """Choose the two sides of the next iteration, which plays at most `pairs` pairs of games."""
        pairs = min(pairs, self.total_pairs - self.pairs)
        number = self.pairs + pairs
        scale = (self.total_pairs / number) ** GAMMA
        stability = STABILITY * self.total_pairs
        gain = self._rate * ((stability + self.total_pairs) / (stability + number)) ** ALPHA / scale**2
        rounding = derive_seed(self._seed, "rounding", self.pairs) % _PARTS / _PARTS  # the same on both sides
        signs = {one.name: 1 - 2 * (derive_seed(self._seed, one.name, self.pairs) % 2) for one in self.parameters}
        steps = {one.name: signs[one.name] * one.step * scale for one in self.parameters}
        return Probe(
            plus=self._write(steps, 1, rounding),
            minus=self._write(steps, -1, rounding),
            steps=steps,
            gain=gain,
            pairs=pairs,
        )

    def _write(self, steps: Values, sign: int, rounding: float) -> dict[str, str]:
        return {
            one.name: one.write(one.clip(self.values[one.name] + sign * steps[one.name]), rounding)
            for one in self.parameters
        }

    def update(self, probe: Probe, won: int, drawn: int, lost: int, forfeits: Mapping[str, int] = {}) -> Iteration:
        """Move the values by the result of the games, as the one side sees it."""
        for one in self.parameters:
            moved = self.values[one.name] + probe.gain * probe.steps[one.name] * (won - lost)
            self.values[one.name] = one.clip(moved)
        self.pairs += probe.pairs
        return Iteration(
            pairs=self.pairs,
            plus=probe.plus,
            minus=probe.minus,
            won=won,
            drawn=drawn,
            lost=lost,
            values=dict(self.values),
            forfeits=dict(forfeits),
        )

    def resume(self, iterations: Iterable[Iteration]) -> None:
        """Continue after stored iterations."""
        for iteration in iterations:
            self.pairs = iteration.pairs
            self.values = dict(iteration.values)


def write_values(parameters: Sequence[Parameter], values: Values) -> dict[str, str]:
    """Write the values of parameters for the bot, whole numbers rounded to the nearest."""
    return {one.name: one.write(values[one.name]) for one in parameters}
