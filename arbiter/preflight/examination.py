"""An examination under way: the conditions, and what earlier steps have seen that later ones look at."""

from typing import Final

from arbiter.games.overrides import Overrides
from arbiter.preflight.conditions import Chosen, Conditions
from arbiter.preflight.games import WholeGame
from arbiter.preflight.harness import Greeting

# How long a game may be, in plies, for a bot that answers within so many milliseconds: seconds, not minutes.
_LENGTHS: Final = ((5.0, 2000), (20.0, 600), (200.0, 200))
_SHORTEST: Final = 60


class Examination:
    """What has been seen of a bot so far; by rule set, where it depends on that."""

    def __init__(self, conditions: Conditions) -> None:
        self.conditions = conditions
        self.greeting: Greeting | None = None
        self.pace_ms: dict[str, float] = {}
        self.games: dict[str, list[WholeGame]] = {}
        self.peak_mib: dict[str, float | None] = {}

    def length(self, rules: Chosen) -> int:
        """Return how many plies a game may have."""
        pace_ms = self.pace_ms.get(rules.name, 0.0)
        return next((plies for within_ms, plies in _LENGTHS if pace_ms <= within_ms), _SHORTEST)

    def limits(self, rules: Chosen, most: int) -> Overrides:
        """Return the limit of plies of a game, `most` at most."""
        return Overrides(max_plies=min(most, self.length(rules)))
