"""Bots that left a tournament under way, and whether their games still count.  Pure."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Final, Literal

from arbiter.tournament.fixture import Fixture
from arbiter.tournament.standings.stored_game import StoredGame, forfeiters
from protocol.words import RED

Rule = Literal["half", "keep", "strike"]
Fate = Literal["kept", "struck"]


def _by_half(played: int, total: int) -> Fate:
    return "kept" if 2 * played >= total else "struck"


# What becomes of the games of a bot that played so many of so many.
RULES: Final[Mapping[Rule, Callable[[int, int], Fate]]] = {
    "half": _by_half,
    "keep": lambda _played, _total: "kept",
    "strike": lambda _played, _total: "struck",
}


def fates(
    withdrawn: Collection[str], rule: Rule, fixtures: Iterable[Fixture], games: Iterable[StoredGame]
) -> dict[str, Fate]:
    """Say for each bot that left what becomes of its games; walkovers were not played."""
    if not withdrawn:
        return {}
    total = Counter(bot for fixture in fixtures for bot in (fixture.red, fixture.blue))
    played = Counter(bot for game in games if game.ending != "walkover" for bot in (game.red, game.blue))
    return {bot: RULES[rule](played[bot], total[bot]) for bot in withdrawn if total[bot]}


def gone(games: Iterable[StoredGame]) -> frozenset[str]:
    """Name the bots that were not there for a game: they left, or were suspended."""
    return frozenset(
        game.red if seat == RED else game.blue
        for game in games
        if game.ending == "walkover"
        for seat in forfeiters(game.winner, game.ending)
    )


def counted(games: Iterable[StoredGame], fate: Mapping[str, Fate]) -> list[StoredGame]:
    """List the games that count: those in which nobody's games are struck."""
    return [game for game in games if "struck" not in (fate.get(game.red), fate.get(game.blue))]
