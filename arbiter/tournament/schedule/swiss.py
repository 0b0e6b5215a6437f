"""A Swiss tournament: in each round a bot meets one that has done about as well, and nobody whom it has met."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from arbiter.tournament.fixture import Bye, Round, meeting
from arbiter.tournament.schedule.format import Entrants, Format
from arbiter.tournament.schedule.pairing import PairingPool, pair_off
from arbiter.tournament.schedule.round_robin import by_points
from arbiter.tournament.standings.crosstable import settled
from arbiter.tournament.standings.stored_game import StoredGame
from arbiter.tournament.standings.withdrawals import gone


def next_round(field: Entrants, rounds: Sequence[Round], games: Sequence[StoredGame]) -> Round:
    """Pair the bots by their points and, where these are equal, their seeding.

    Who was not there for a game is not paired again; where fewer than two are left, that is the end.
    A bye is worth as much as winning all games of a round (FIDE Handbook C.04.1 c).
    """
    if len(rounds) == _rounds(field) or len(set(field.bots) - gone(games)) < 2:  # noqa: PLR2004 - it takes two
        return Round(())
    number = field.first_round + len(rounds)
    byes = [bye for one in rounds for bye in one.byes]
    met = _met(rounds)
    pairings, idle = pair_off(_entrants(field, games, byes, met))
    fixtures = (
        fixture
        for pairing in pairings
        for fixture in meeting(pairing, field.games // 2, met[frozenset(pairing)], number, field.stage)
    )
    worth = field.points.win * field.games
    return Round(tuple(fixtures), () if idle is None else (Bye(number, idle, worth, field.games),))


def _rounds(field: Entrants) -> int:
    """Count the rounds: those set, or as many as a knockout would take."""
    return field.rounds or (len(field.bots) - 1).bit_length()


def _met(rounds: Sequence[Round]) -> Counter[frozenset[str]]:
    """Count how often bots have met."""
    return Counter(pairing for one in rounds for pairing in {frozenset((game.red, game.blue)) for game in one.fixtures})


def _entrants(
    field: Entrants, games: Sequence[StoredGame], byes: Sequence[Bye], met: Counter[frozenset[str]]
) -> PairingPool:
    points = dict.fromkeys(field.bots, 0.0)
    for game in games:
        points[game.red] += game.red_points
        points[game.blue] += game.blue_points
    for bye in byes:
        points[bye.bot] += bye.points
    points = {bot: settled(made) for bot, made in points.items()}
    there = (bot for bot in field.bots if bot not in gone(games))
    ranked = tuple(sorted(there, key=lambda bot: -points[bot]))
    return PairingPool(ranked, points, met, Counter(bye.bot for bye in byes))


SWISS: Final = Format(
    settings=frozenset({"rounds"}),
    next_round=next_round,
    least=lambda field: _rounds(field) * (len(field.bots) // 2) * field.games,
    rank=by_points,
    detail="rounds",
    is_closed=True,
)
