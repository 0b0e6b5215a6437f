"""A knockout: who loses a match is out, until one is left."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final

from msgspec.structs import replace

from arbiter.games.chance import derive
from arbiter.tournament.fixture import Bye, Fixture, Round, pair_of_games
from arbiter.tournament.schedule.format import Entrants, Format
from arbiter.tournament.standings.bracket import Match
from arbiter.tournament.standings.crosstable import settled
from arbiter.tournament.standings.standings import Standing, standings
from arbiter.tournament.standings.stored_game import StoredGame

FURTHER_PAIRS: Final = 3
ROUNDS: Final = {1: "final", 2: "semi-final", 3: "quarter-final"}


def next_round(field: Entrants, rounds: Sequence[Round], games: Sequence[StoredGame]) -> Round:
    """Play on where a match is tied, else go to the bracket's next round.

    A match is won on points.  Where they are equal after all its games, one more pair is played at a time, at most
    `further_pairs` of them; then the lot decides, drawn from the tournament's seed.
    """
    if not rounds:
        return _opening(field)
    matches = bracket(field, games)
    undecided = [match for match in matches if match.winner is None]
    number = max(match.round for match in matches)
    fixtures = tuple(chain.from_iterable(_games(field, match) for match in undecided))
    is_further = number == rounds[-1].fixtures[0].round
    return Round(fixtures, extra=len(fixtures) if is_further else 0)


def _opening(field: Entrants) -> Round:
    matches = bracket(field, ())
    byes = tuple(Bye(field.first_round, match.one, 0, 0) for match in matches if match.two is None)
    return Round(tuple(chain.from_iterable(_games(field, match) for match in matches)), byes)


def _games(field: Entrants, match: Match) -> Iterator[Fixture]:
    """Yield what a match is played over: its games, or one more pair of them."""
    if match.two is None:
        return
    begun = match.games // 2
    for pair in range(begun + 1, max(begun + 1, field.games // 2) + 1):
        yield from pair_of_games(match.one, match.two, pair, match.round, field.stage)


def bracket(field: Entrants, games: Iterable[StoredGame]) -> list[Match]:
    """List the matches as far as they are known, round by round; one that is not decided has no winner."""
    played: dict[frozenset[str], list[StoredGame]] = {}
    for game in games:
        played.setdefault(frozenset((game.red, game.blue)), []).append(game)
    alive: list[str | None] = [
        field.bots[seed] if seed < len(field.bots) else None for seed in seeding(len(field.bots))
    ]
    matches: list[Match] = []
    number = field.first_round
    while len(alive) > 1:
        now = [_match(field, number, one, two, played) for one, two in zip(alive[::2], alive[1::2], strict=True)]
        matches += now
        alive = [match.winner for match in now]
        if None in alive:
            break
        number += 1
    return matches


def seeding(count: int) -> list[int]:
    """List the seeds, counted from 0, in the order of the bracket: the best meet as late as can be.

    Seeds beyond the last bot stand for byes, which so fall to the best.
    """
    order = [0]
    while len(order) < count:
        order = [place for seed in order for place in (seed, 2 * len(order) - 1 - seed)]
    return order


def _match(
    field: Entrants, number: int, one: str | None, two: str | None, played: dict[frozenset[str], list[StoredGame]]
) -> Match:
    one, two = (one, two) if one is not None else (two, one)
    assert one is not None  # noqa: S101 - of two seeds that face each other one at least is a bot
    if two is None:
        return Match(number, one, None, winner=one, how="bye")
    games = played.get(frozenset((one, two)), [])
    points = {bot: _points(bot, games) for bot in (one, two)}
    winner, how = _decided(field, one, two, points, len(games))
    return Match(number, one, two, points[one], points[two], len(games), winner, how)


def _points(bot: str, games: Iterable[StoredGame]) -> float:
    return settled(sum(game.red_points if game.red == bot else game.blue_points for game in games))


def _decided(field: Entrants, one: str, two: str, points: dict[str, float], games: int) -> tuple[str | None, str]:
    """Say who has won a match and by what, or that nobody has."""
    if games < field.games or games % 2:
        return None, ""
    if points[one] != points[two]:
        return max(one, two, key=lambda bot: points[bot]), "further games" if games > field.games else "games"
    further = FURTHER_PAIRS if field.further_pairs is None else field.further_pairs
    if games < field.games + 2 * further:
        return None, ""
    lot = derive(field.seed, "lot", field.stage, *sorted((one, two)))
    return sorted((one, two))[lot % 2], "lot"


def by_round_reached(field: Entrants, games: Iterable[StoredGame], byes: Sequence[Bye]) -> tuple[Standing, ...]:
    """Rank by how far a bot came; those who lost in the same round share a rank, those still in it the first."""
    games = tuple(games)
    lost = {match.loser: match.round for match in bracket(field, games) if match.loser}
    last = field.first_round + (len(field.bots) - 1).bit_length()
    plain = {one.bot: one for one in standings(field.bots, games, ("points",), field.seed, byes)}
    return tuple(
        replace(
            plain[bot],
            rank=1 + sum(lost.get(other, last) > lost.get(bot, last) for other in field.bots),
            reached=_reached(last - lost[bot]) if bot in lost else None,
        )
        for bot in sorted(field.bots, key=lambda bot: -lost.get(bot, last))
    )


def _reached(rounds_left: int) -> str:
    """Name a round by how many are left with it."""
    return ROUNDS.get(rounds_left, f"round of {2**rounds_left}")


KNOCKOUT: Final = Format(
    settings=frozenset({"further_pairs"}),
    next_round=next_round,
    least=lambda field: (len(field.bots) - 1) * field.games,
    rank=by_round_reached,
    detail="bracket",
    is_closed=True,
)
