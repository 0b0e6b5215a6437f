"""Everyone meets everyone, equally often with each colour."""

from collections.abc import Iterator, Sequence

from arbiter.tournament.schedule.fixture import Fixture, fixture

Pairing = tuple[str, str]


def round_robin(bots: Sequence[str], games: int) -> tuple[Fixture, ...]:
    """Schedule `games` games (even) of each pairing, in pairs with colours swapped.

    In a round each bot meets one opponent (or none, where their number is odd) for one pair of games;
    every pairing has had its k-th pair before any has its next, so that partial results are balanced.
    """
    circle = tuple(_circle(bots))
    return tuple(
        game
        for cycle in range(games // 2)
        for number, pairings in enumerate(circle, start=1)
        for first, second in pairings
        for game in _pair(first, second, cycle + 1, cycle * len(circle) + number)
    )


def _pair(first: str, second: str, pair: int, round_: int) -> tuple[Fixture, Fixture]:
    return fixture(first, second, pair, round_), fixture(second, first, pair, round_)


def _circle(bots: Sequence[str]) -> Iterator[list[Pairing]]:
    """Yield the rounds of the circle method: one bot stays, the others move on by one place a round."""
    seats: list[str | None] = [*bots, None] if len(bots) % 2 else list(bots)
    for _ in range(len(seats) - 1):
        half = len(seats) // 2
        facing = zip(seats[:half], reversed(seats[half:]), strict=True)
        yield [(first, second) for first, second in facing if first is not None and second is not None]
        seats = [seats[0], seats[-1], *seats[1:-1]]
