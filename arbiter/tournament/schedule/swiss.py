"""Swiss tournament: in each round a bot plays another one with about as many points that it has not met before."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from arbiter.tournament.fixture import Fixtures, Meeting, Round, RoundBye
from arbiter.tournament.schedule.format import Entrants, Format
from arbiter.tournament.schedule.pairing import PairingPool, pair_off
from arbiter.tournament.schedule.round_robin import rank_by_tie_breaks
from arbiter.tournament.standings.crosstable import round_points
from arbiter.tournament.standings.stored_game import StoredGame, find_absent


def next_round(entrants: Entrants, rounds: Sequence[Round], games: Sequence[StoredGame]) -> Round:
    """Pair the bots by points; bots with equal points by their seeding.

    A bot that lost by walkover is not paired again; if fewer than two others are left, the stage ends.
    A bye is worth as much as winning all games of a round (FIDE Handbook C.04.1 c).
    """
    absent = find_absent(games)
    present = [bot for bot in entrants.bots if bot not in absent]
    if len(rounds) == _count_rounds(entrants) or len(present) < 2:  # noqa: PLR2004 - a pairing takes two
        return Round()
    byes = [bye for one in rounds for bye in one.byes]
    points = dict.fromkeys(entrants.bots, 0.0)
    for game in games:
        points[game.red] += game.red_points
        points[game.blue] += game.blue_points
    for bye in byes:
        points[bye.bot] += bye.points
    points = {bot: round_points(sum_) for bot, sum_ in points.items()}
    met = Counter(frozenset((meeting.one, meeting.two)) for one in rounds for meeting in one.fixtures.meetings)
    pool = PairingPool(
        ranked=tuple(sorted(present, key=lambda bot: -points[bot])),
        points=points,
        met=met,
        byes=Counter(bye.bot for bye in byes),
    )
    pairings, idle = pair_off(pool)
    number = entrants.first_round + len(rounds)
    pairs = entrants.games // 2
    meetings = tuple(Meeting(one, two, number, met[frozenset((one, two))] * pairs + 1) for one, two in pairings)
    worth = entrants.points.win * entrants.games
    byes_now = () if idle is None else (RoundBye(number, idle, worth, entrants.games),)
    return Round(Fixtures(meetings, pairs=pairs, stage=entrants.stage), byes_now)


def _count_rounds(entrants: Entrants) -> int:
    """Return the number of rounds: the setting, or as many as a knockout has."""
    return entrants.rounds or (len(entrants.bots) - 1).bit_length()


SWISS: Final = Format(
    settings=frozenset({"rounds"}),
    next_round=next_round,
    least=lambda entrants: _count_rounds(entrants) * (len(entrants.bots) // 2) * entrants.games,
    rank=rank_by_tie_breaks,
    detail="rounds",
    is_closed=True,
)
