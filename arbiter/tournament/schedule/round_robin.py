"""Everyone meets everyone, equally often with each colour."""

from collections.abc import Iterable, Iterator, Sequence
from math import comb
from typing import Final

from arbiter.tournament.fixture import Bye, Fixture, Round, pair_of_games
from arbiter.tournament.schedule.format import Entrants, Format
from arbiter.tournament.standings.standings import Standing, standings
from arbiter.tournament.standings.stored_game import StoredGame

Pairing = tuple[str, str]


def all_at_once(field: Entrants, rounds: Sequence[Round], games: Sequence[StoredGame]) -> Round:
    """Schedule `games` games of each pairing, in pairs with colours swapped; no result changes who meets whom.

    In a round each bot meets one opponent (or none, where their number is odd) for one pair of games;
    every pairing has had its k-th pair before any has its next, so that partial results are balanced.
    """
    return Round(() if rounds else tuple(_games(field)))


def _games(field: Entrants) -> Iterator[Fixture]:
    circle = tuple(_circle(field.bots))
    for cycle in range(field.games // 2):
        for number, pairings in enumerate(circle, start=cycle * len(circle) + field.first_round):
            for first, second in pairings:
                yield from pair_of_games(first, second, cycle + 1, number, field.stage)


def _circle(bots: Sequence[str]) -> Iterator[list[Pairing]]:
    """Yield the rounds of the circle method: one bot stays, the others move on by one place a round."""
    seats: list[str | None] = [*bots, None] if len(bots) % 2 else list(bots)
    for _ in range(len(seats) - 1):
        half = len(seats) // 2
        facing = zip(seats[:half], reversed(seats[half:]), strict=True)
        yield [(first, second) for first, second in facing if first is not None and second is not None]
        seats = [seats[0], seats[-1], *seats[1:-1]]


def by_points(field: Entrants, games: Iterable[StoredGame], byes: Sequence[Bye]) -> tuple[Standing, ...]:
    """Rank by the tournament's tie-breaks, of which points are the first."""
    return standings(field.bots, games, field.tie_breaks, field.seed, byes)


ROUND_ROBIN: Final = Format(
    next_round=all_at_once,
    least=lambda field: comb(len(field.bots), 2) * field.games,
    rank=by_points,
)
