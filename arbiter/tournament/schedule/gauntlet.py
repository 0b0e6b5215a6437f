"""One or several challengers meet all others, who do not meet each other."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from arbiter.errors import ConfigError
from arbiter.tournament.fixture import Bye, Fixture, Round, pair_of_games
from arbiter.tournament.schedule.format import Entrants, Format, refuse_unknown
from arbiter.tournament.standings.standings import Standing, standings
from arbiter.tournament.standings.stored_game import StoredGame


def challenge(field: Entrants, rounds: Sequence[Round], games: Sequence[StoredGame]) -> Round:
    """Schedule `games` games of each challenger against each of the others.

    A round is a pair of games of every such pairing, so that partial results are balanced.
    """
    return Round(() if rounds else tuple(_games(field)))


def _games(field: Entrants) -> Iterator[Fixture]:
    for pair in range(1, field.games // 2 + 1):
        for other in _others(field):
            for challenger in field.challengers:
                yield from pair_of_games(challenger, other, pair, field.first_round + pair - 1, field.stage)


def _others(field: Entrants) -> list[str]:
    return [bot for bot in field.bots if bot not in field.challengers]


def _check(field: Entrants) -> None:
    refuse_unknown("challengers", field.challengers, field.bots)
    if not field.challengers:
        raise ConfigError('challengers: is missing; name who plays against all others, as in ["mine"]')
    if not _others(field):
        raise ConfigError("challengers: all bots are named; leave some whom they can challenge")


def by_average(field: Entrants, games: Iterable[StoredGame], byes: Sequence[Bye]) -> tuple[Standing, ...]:
    """Rank by points a game, as challengers play more games than those they challenge; then by the other tie-breaks."""
    return standings(field.bots, games, ("average", *field.tie_breaks[1:]), field.seed, byes)


GAUNTLET: Final = Format(
    settings=frozenset({"challengers"}),
    check=_check,
    next_round=challenge,
    least=lambda field: len(field.challengers) * len(_others(field)) * field.games,
    rank=by_average,
)
