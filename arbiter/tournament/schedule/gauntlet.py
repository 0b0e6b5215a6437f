"""Gauntlet: one or more challengers play all other bots, which do not play each other."""

from collections.abc import Sequence
from typing import Final

from msgspec import field

from arbiter.errors import ConfigError
from arbiter.tournament.fixture import Fixtures, Meeting, Round
from arbiter.tournament.schedule.format import Entrants, Format, Settings
from arbiter.tournament.standings.stored_game import StoredGame
from arbiter.tournament.standings.table import rank_bots


class GauntletSettings(Settings, frozen=True, kw_only=True):
    """Settings of a gauntlet."""

    challengers: list[str] = field(default_factory=list)
    """Names of the bots that play against all others.  Default: none, at least one is required."""


_Entrants = Entrants[GauntletSettings]


def schedule_challengers(entrants: _Entrants, rounds: Sequence[Round], games: Sequence[StoredGame]) -> Round:
    """Schedule `games` games of each challenger against each of the others.

    A round is one pair of games of every such pairing, so that partial results are balanced.
    """
    if rounds:
        return Round()
    meetings = tuple(
        Meeting(challenger, other, entrants.first_round, step=1)
        for other in _list_others(entrants)
        for challenger in entrants.settings.challengers
    )
    return Round(Fixtures(meetings, pairs=entrants.games // 2, stage=entrants.stage))


def _list_others(entrants: _Entrants) -> list[str]:
    return [bot for bot in entrants.bots if bot not in entrants.settings.challengers]


def _check(entrants: _Entrants) -> None:
    challengers = entrants.settings.challengers
    if entrants.stage > 1 and challengers:
        raise ConfigError("challengers: only the first stage can list them, as nobody knows which bots qualify")
    seen = set[str]()
    for name in challengers:
        if name not in entrants.bots:
            raise ConfigError(
                f"challengers: {name!r} does not play in this tournament; the bots are {', '.join(entrants.bots)}"
            )
        if name in seen:
            raise ConfigError(f"challengers: {name!r} is listed twice")
        seen.add(name)
    if not challengers:
        raise ConfigError('challengers: is missing; list the bots that play all others, as in ["mine"]')
    if not _list_others(entrants):
        raise ConfigError("challengers: all bots are listed; leave out those that they play against")


GAUNTLET: Final = Format(
    name="gauntlet",
    pairings="the `challengers` meet all other bots; challengers do not meet each other, nor do the others",
    settings=GauntletSettings,
    check=_check,
    next_round=schedule_challengers,
    least=lambda entrants: len(entrants.settings.challengers) * len(_list_others(entrants)) * entrants.games,
    # By points per game, as challengers play more games than the others, then by the other tie-breaks.
    rank=lambda entrants, games, byes: rank_bots(
        entrants.bots, games, ("average", *entrants.tie_breaks[1:]), entrants.seed, byes
    ),
)
