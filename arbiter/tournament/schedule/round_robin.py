"""Round robin: each bot plays each other bot, equally often with each colour."""

from collections.abc import Iterable, Iterator, Sequence
from math import comb
from typing import Final

from arbiter.tournament.fixture import Fixtures, Meeting, Round, RoundBye
from arbiter.tournament.schedule.format import Entrants, Format
from arbiter.tournament.standings.stored_game import StoredGame
from arbiter.tournament.standings.table import Standing, rank_bots


def schedule_all(entrants: Entrants, rounds: Sequence[Round], games: Sequence[StoredGame]) -> Round:
    """Schedule `games` games of each pairing, in pairs with colours swapped; no result changes the pairings.

    In a round each bot plays one pair of games against one opponent, or none if the number of bots is odd.
    Every pairing has its k-th pair before any has its next, so that partial results are balanced.
    """
    if rounds:
        return Round()
    circle = tuple(_rotate(entrants.bots))
    meetings = tuple(
        Meeting(first, second, number)
        for number, pairings in enumerate(circle, start=entrants.first_round)
        for first, second in pairings
    )
    return Round(Fixtures(meetings, pairs=entrants.games // 2, step=len(circle), stage=entrants.stage))


def _rotate(bots: Sequence[str]) -> Iterator[list[tuple[str, str]]]:
    """Yield the pairings of each round by the circle method: one bot stays, the others move by one place a round."""
    places: list[str | None] = [*bots, None] if len(bots) % 2 else list(bots)
    for _ in range(len(places) - 1):
        half = len(places) // 2
        facing = zip(places[:half], reversed(places[half:]), strict=True)
        yield [(first, second) for first, second in facing if first is not None and second is not None]
        places = [places[0], places[-1], *places[1:-1]]


def rank_by_tie_breaks(
    entrants: Entrants, games: Iterable[StoredGame], byes: Sequence[RoundBye]
) -> tuple[Standing, ...]:
    """Rank by the tournament's tie-breaks; the first of them is points."""
    return rank_bots(entrants.bots, games, entrants.tie_breaks, entrants.seed, byes)


ROUND_ROBIN: Final = Format(
    next_round=schedule_all,
    least=lambda entrants: comb(len(entrants.bots), 2) * entrants.games,
    rank=rank_by_tie_breaks,
)
