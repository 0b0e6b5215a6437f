"""Bots that left a stage by withdrawal, suspension or disqualification, and what becomes of their games."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Literal

from msgspec import Struct

from arbiter.tournament.fixture import Round
from arbiter.tournament.standings.stored_game import StoredGame

WithdrawnGames = Literal["half", "keep", "strike"]
"""Rule for the games of a bot that left: keep them, strike them, or keep them if it played at least half of its games."""
Leaving = Literal["withdrawn", "suspended", "disqualified"]
GamesOfAbsent = Literal["kept", "struck", "lost"]
"""The games of a bot that left: they count, they do not count, or they count as lost."""


class Absence(Struct, frozen=True):
    """A bot that left."""

    status: Leaving
    games: GamesOfAbsent


def decide_absences(
    left: Mapping[str, Leaving], games: Iterable[StoredGame], rounds: Iterable[Round], rule: WithdrawnGames
) -> dict[str, Absence]:
    """Decide if the games of each bot that left a stage count; a bot without games in it is left out."""
    if not left:
        return {}
    rounds = tuple(rounds)
    total = {bot: sum(one.fixtures.count_games(bot) for one in rounds) for bot in left}
    played = Counter(bot for game in games if game.took_place for bot in (game.red, game.blue))
    absences: dict[str, Absence] = {}
    for bot, status in left.items():
        if total[bot]:
            is_kept = rule == "keep" or (rule == "half" and 2 * played[bot] >= total[bot])
            kept: GamesOfAbsent = "lost" if status == "disqualified" else "kept"
            absences[bot] = Absence(status, kept if is_kept else "struck")
    return absences
