"""How long a bot's games are, and how much of its time it uses."""

from collections.abc import Iterable

from msgspec import Struct

from arbiter.tournament.standings.stored_game import StoredGame


class Effort(Struct):
    """The games that a bot played, their plies in all and what its clock was charged in them."""

    games: int = 0
    plies: int = 0
    ms: float = 0.0

    @property
    def mean_plies(self) -> float | None:
        """The mean length of a game, in plies; None before the first."""
        return round(self.plies / self.games, 1) if self.games else None

    @property
    def mean_seconds(self) -> float | None:
        """The mean time that it used in a game; None where it is not known."""
        return round(self.ms / self.games / 1000, 3) if self.games and self.ms else None


def efforts(games: Iterable[StoredGame]) -> dict[str, Effort]:
    """Add up each bot's games, without those that were not played."""
    found: dict[str, Effort] = {}
    for game in games:
        if game.ending not in {"walkover", "void"}:
            for bot, ms in ((game.red, game.red_ms), (game.blue, game.blue_ms)):
                effort = found.setdefault(bot, Effort())
                effort.games += 1
                effort.plies += game.plies
                effort.ms += ms
    return found
