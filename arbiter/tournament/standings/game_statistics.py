"""Statistics of games that do not affect the ranking: length, time used, causes of forfeits, repeated games."""

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct

from arbiter.games.base import Ending
from arbiter.tournament.standings.stored_game import StoredGame, find_forfeiters
from protocol.words import RED


class Effort(Struct):
    """Length of a bot's games and its time used in them."""

    games: int = 0
    """Games played; walkovers and voided games do not count."""
    plies: int = 0
    """Plies of all its games together, those of the opponents included."""
    ms: float = 0.0
    """Time charged to its clock in all its games."""

    @property
    def mean_plies(self) -> float | None:
        """The mean length of a game in plies; None before the first game."""
        return round(self.plies / self.games, 1) if self.games else None

    @property
    def mean_seconds(self) -> float | None:
        """The mean time used in a game; None if it is not known."""
        return round(self.ms / self.games / 1000, 3) if self.games and self.ms else None


def sum_effort(games: Iterable[StoredGame]) -> dict[str, Effort]:
    """Add up length and time of each bot's games, without walkovers and voided games."""
    found: dict[str, Effort] = {}
    for game in games:
        if game.was_played:
            for bot, ms in ((game.red, game.red_ms), (game.blue, game.blue_ms)):
                effort = found.get(bot)
                if effort is None:
                    effort = found[bot] = Effort()
                effort.games += 1
                effort.plies += game.plies
                effort.ms += ms
    return found


def count_forfeit_causes(games: Iterable[StoredGame]) -> dict[str, Counter[Ending]]:
    """Count each bot's forfeits by ending."""
    causes: dict[str, Counter[Ending]] = {}
    results = Counter((game.red, game.blue, game.winner, game.ending) for game in games)
    for (red, blue, winner, ending), count in results.items():
        for seat in find_forfeiters(winner, ending):
            causes.setdefault(red if seat == RED else blue, Counter())[ending] += count
    return causes


class Repeats(Struct, frozen=True):
    """Repeated games of a pairing. Deterministic bots may replay the same game, which proves nothing new."""

    one: str
    two: str
    games: int
    """Games of the two bots, whatever their colours."""
    repeated: int
    """Games among them that are identical to an earlier one."""


def count_repeats(games: Iterable[StoredGame]) -> tuple[Repeats, ...]:
    """Count games with the same actions as an earlier game of the pairing; leave out pairings without any."""
    fingerprints: dict[tuple[str, str], list[str]] = {}
    for game in games:
        if game.fingerprint and game.was_played:
            fingerprints.setdefault((min(game.red, game.blue), max(game.red, game.blue)), []).append(game.fingerprint)
    return tuple(
        Repeats(*pairing, len(played), len(played) - len(set(played)))
        for pairing, played in sorted(fingerprints.items())
        if len(set(played)) < len(played)
    )
