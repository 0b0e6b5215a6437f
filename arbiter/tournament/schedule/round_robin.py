"""Round robin and gauntlet: no result changes the pairings."""

from collections.abc import Sequence
from math import comb
from typing import Any, Final

from msgspec import field

from arbiter.errors import ConfigError
from arbiter.tournament.fixture import Fixtures, Meeting, Round
from arbiter.tournament.schedule.format import Entrants, Format, FormatSettings
from arbiter.tournament.standings.stored_game import StoredGame

# --- round robin ----------------------------------------------------------------------------------


def schedule_all(entrants: Entrants[Any], rounds: Sequence[Round], games: Sequence[StoredGame]) -> Round:
    """Schedule `games` games of each pairing, in pairs with colours swapped; no result changes the pairings.

    In a round each bot plays one pair of games against one opponent, or none if the number of bots is odd.
    Every pairing has its k-th pair before any has its next, so that partial results are balanced.
    Bots that joined late play in rounds of their own after the others, so that no bot has two opponents in one round.
    """
    if rounds:
        return Round()
    pairs = entrants.games // 2
    on_time = tuple(bot for bot in entrants.bots if bot not in entrants.late)
    tables = [make_berger_table(on_time)]
    if entrants.late:
        everybody = make_berger_table((*on_time, *entrants.late))
        with_late = ([one for one in pairings if set(one) & set(entrants.late)] for pairings in everybody)
        tables.append([pairings for pairings in with_late if pairings])
    meetings: list[Meeting] = []
    first_round = entrants.first_round
    for table in tables:
        meetings += (
            Meeting(first, second, number, step=len(table))
            for number, pairings in enumerate(table, start=first_round)
            for first, second in pairings
        )
        first_round += len(table) * pairs
    return Round(Fixtures(tuple(meetings), pairs=pairs, stage=entrants.stage))


def make_berger_table(bots: Sequence[str]) -> list[list[tuple[str, str]]]:
    """List the pairings of each round, red first, as in the Berger tables (FIDE Handbook C.05, Annex 1).

    If the number of bots is odd, the opponent of the last number has no game.
    """
    size = len(bots) + len(bots) % 2
    table: list[list[tuple[str, str]]] = []
    for number in range(size - 1):
        first = number // 2 if number % 2 == 0 else (number + size - 1) // 2  # the opponent of the last number
        pairings = [(first, size - 1) if number % 2 == 0 else (size - 1, first)]
        pairings += (((first + step) % (size - 1), (first - step) % (size - 1)) for step in range(1, size // 2))
        table.append([(bots[red], bots[blue]) for red, blue in pairings if max(red, blue) < len(bots)])
    return table


ROUND_ROBIN: Final = Format(
    name="round-robin",
    pairings=(
        "every bot meets every other bot, in the order of the Berger tables; bots that join late play in rounds after "
        "the others"
    ),
    settings=FormatSettings,
    next_round=schedule_all,
    least=lambda entrants: comb(len(entrants.bots), 2) * entrants.games,
)


# --- gauntlet -------------------------------------------------------------------------------------


class GauntletSettings(FormatSettings, frozen=True, kw_only=True):
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
    rank=lambda entrants, games, byes: entrants.rank(games, byes, ("average", *entrants.tie_breaks[1:])),
)
