"""Swiss tournament: in each round a bot plays another one with about as many points that it has not met before."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Annotated, Final

from msgspec import Meta

from arbiter.tournament.fixture import Fixtures, Meeting, Round, RoundBye
from arbiter.tournament.schedule.format import Entrants, Format, FormatSettings
from arbiter.tournament.schedule.pairing import PairingPool, pair_off
from arbiter.tournament.standings.crosstable import RoundsTable, round_points
from arbiter.tournament.standings.stored_game import StoredGame


class SwissSettings(FormatSettings, frozen=True, kw_only=True):
    """Settings of a Swiss tournament."""

    rounds: Annotated[int, Meta(ge=1, le=1000)] | None = None
    """Number of rounds.  Default: as many as a knockout would have."""
    half_byes: Annotated[int, Meta(ge=0, le=1000)] = 1
    """Number of announced absences of a bot that count as draws; further ones count nothing."""


_Entrants = Entrants[SwissSettings]


def next_round(entrants: _Entrants, rounds: Sequence[Round], games: Sequence[StoredGame]) -> Round:
    """Pair the bots by points; bots with equal points by their seeding.

    A bot that left is not paired: its rounds are absences without points.  If fewer than two others are left, the
    stage ends.
    A bye is worth as much as winning all games of a round (FIDE Handbook C.04.1 c).  A bot that announced its absence
    is not paired; its first absences are worth as much as drawing all games, further ones nothing.
    """
    present = [bot for bot in entrants.bots if bot not in entrants.gone]
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
    number = entrants.first_round + len(rounds)
    away = [bot for bot in present if number in entrants.absences.get(bot, ())]
    pool = PairingPool(
        ranked=tuple(sorted((bot for bot in present if bot not in away), key=lambda bot: -points[bot])),
        points=points,
        met=met,
        byes=Counter(bot for bot, _ in _list_rounds_won_without_play(byes, games)),
    )
    pairings, idle = pair_off(pool)
    pairs = entrants.games // 2
    meetings = tuple(Meeting(one, two, number, met[frozenset((one, two))] * pairs + 1) for one, two in pairings)
    asked = Counter(bye.bot for bye in byes if bye.requested and bye.share)
    half = entrants.points.draw * entrants.games
    byes_now = [
        RoundBye(
            number,
            bot,
            half if asked[bot] < entrants.settings.half_byes else 0.0,
            entrants.games,
            share=0.5,
            requested=True,
        )
        for bot in away
    ]
    byes_now += [
        RoundBye(number, bot, 0.0, entrants.games, share=0.0, requested=True)
        for bot in entrants.bots
        if bot in entrants.gone
    ]
    if idle is not None:
        byes_now.append(RoundBye(number, idle, entrants.points.win * entrants.games, entrants.games))
    return Round(Fixtures(meetings, pairs=pairs, stage=entrants.stage), tuple(byes_now))


def _list_rounds_won_without_play(byes: Iterable[RoundBye], games: Iterable[StoredGame]) -> set[tuple[str, int]]:
    """List the rounds that a bot won without playing, after which it has no further bye (FIDE Handbook C.04.1 d)."""
    by_bye = {(bye.bot, bye.round) for bye in byes if not bye.requested}
    by_walkover = {
        (getattr(game, game.winner), game.round)
        for game in games
        if game.ending == "walkover" and game.winner is not None
    }
    return by_bye | by_walkover


def _warn(entrants: _Entrants) -> str | None:
    bots = len(entrants.bots)
    rounds = _count_rounds(entrants)
    most = bots - 1 + bots % 2
    if rounds <= most:
        return None
    return (
        f"rounds: {rounds} rounds of {bots} bots cannot be paired without repeats; with {most} rounds or fewer they can"
    )


def _count_rounds(entrants: _Entrants) -> int:
    """Return the number of rounds: the setting, or as many as a knockout has."""
    return entrants.settings.rounds or (len(entrants.bots) - 1).bit_length()


SWISS: Final = Format(
    name="swiss",
    pairings="in each round a bot meets one with the same number of points, if possible",
    settings=SwissSettings,
    warn=_warn,
    next_round=next_round,
    least=lambda entrants: _count_rounds(entrants) * (len(entrants.bots) // 2) * entrants.games,
    rank=lambda entrants, games, byes: entrants.rank(games, byes, total_rounds=_count_rounds(entrants)),
    tie_breaks=("points", "buchholz-cut-1", "buchholz", "wins", "direct", "sonneborn-berger"),
    tabulate=lambda _entrants, _order, games, byes: RoundsTable(tuple(games), tuple(byes)),
    count_rounds=_count_rounds,
    takes_absences=True,
    is_closed=True,
)
