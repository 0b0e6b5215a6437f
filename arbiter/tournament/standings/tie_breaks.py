"""What ranks bots, in the order a tournament lists them.

Each is a function of the crosstable, a tied group and the tournament's seed.
"""

from collections.abc import Callable, Sequence
from typing import Final

from arbiter.errors import ConfigError
from arbiter.games.catalogue import unknown
from arbiter.games.chance import derive
from arbiter.tournament.standings.crosstable import Crosstable, settled

Values = dict[str, float] | None
TieBreak = Callable[[Crosstable, Sequence[str], int], Values]

_LOTS: Final = 2**53  # derived seeds are below it


def points(table: Crosstable, group: Sequence[str], seed: int) -> Values:
    """Rank by points."""
    return {bot: table.totals[bot].points for bot in group}


def average(table: Crosstable, group: Sequence[str], seed: int) -> Values:
    """Rank by points a game, the games that byes stand for too; 0 where there were none."""
    games = {bot: table.totals[bot].games for bot in group}
    for bye in table.byes:
        if bye.bot in games:
            games[bye.bot] += bye.games
    return {bot: settled(table.totals[bot].points / played) if played else 0.0 for bot, played in games.items()}


def wins(table: Crosstable, group: Sequence[str], seed: int) -> Values:
    """Rank by games won, by forfeit too."""
    return {bot: float(table.totals[bot].wins) for bot in group}


def direct(table: Crosstable, group: Sequence[str], seed: int) -> Values:
    """Rank by the points made among exactly those tied; says nothing unless all have met, equally often."""
    meetings = {table[bot][other].games for bot in group for other in group if other != bot}
    if len(meetings) != 1 or 0 in meetings:
        return None
    return {bot: settled(sum(table[bot][other].points for other in group if other != bot)) for bot in group}


def sonneborn_berger(table: Crosstable, group: Sequence[str], seed: int) -> Values:
    """Rank by whom one beat: the total scores of the opponents, each times one's own score against him.

    Scores are the usual ones, a win 1 and a draw a half, whatever the tournament's points: what is
    measured is the strength of those one scored against, not what a forfeit costs here.  Byes count as in `_met`.
    """
    return {
        bot: sum(tally.score * _scored(table, opponent) for opponent, tally in table[bot].items())
        + _given(table, bot) * _scored(table, bot)
        for bot in group
    }


def buchholz(table: Crosstable, group: Sequence[str], seed: int) -> Values:
    """Rank by whom one met: the sum of the opponents' scores (FIDE Handbook C.07, 8.1)."""
    return {bot: sum(_met(table, bot)) for bot in group}


def buchholz_cut_1(table: Crosstable, group: Sequence[str], seed: int) -> Values:
    """Rank by the sum of the opponents' scores but the lowest (FIDE Handbook C.07, 14.1)."""
    return {bot: sum(_met(table, bot)[1:]) for bot in group}


def buchholz_median(table: Crosstable, group: Sequence[str], seed: int) -> Values:
    """Rank by the sum of the opponents' scores but the lowest and the highest (FIDE Handbook C.07, 14.3)."""
    return {bot: sum(_met(table, bot)[1:-1]) for bot in group}


def _met(table: Crosstable, bot: str) -> list[float]:
    """List what the opponents scored, in ascending order, each once for each round in which they met.

    For a round that it sat out a bot is taken to have met one of its own score (FIDE Handbook C.07, unplayed rounds).
    """
    met = [_scored(table, opponent) for opponent, rounds in table.met[bot].items() for _ in range(rounds)]
    return sorted(met + [_scored(table, bot) for bye in table.byes if bye.bot == bot])


def _scored(table: Crosstable, bot: str) -> float:
    """Score a bot's games the plain way, with those that byes stand for."""
    return table.totals[bot].score + _given(table, bot)


def _given(table: Crosstable, bot: str) -> int:
    """Score a bot's byes: each of their games as won, unless the bye is worth nothing."""
    return sum(bye.games for bye in table.byes if bye.bot == bot and bye.points)


def forfeits(table: Crosstable, group: Sequence[str], seed: int) -> Values:
    """Rank by forfeits of one's own, the fewer the better."""
    return {bot: float(table.totals[bot].forfeits) for bot in group}


def lots(table: Crosstable, group: Sequence[str], seed: int) -> Values:
    """Rank by drawing of lots: each bot draws a number from 0 to 1, and the higher is the better.

    The lot depends on the tournament's seed and the bot's name alone, so that it is drawn once.
    """
    return {bot: derive(seed, "lots", bot) / _LOTS for bot in group}


TIE_BREAKS: Final[dict[str, TieBreak]] = {
    "points": points,
    "average": average,
    "wins": wins,
    "direct": direct,
    "sonneborn-berger": sonneborn_berger,
    "buchholz": buchholz,
    "buchholz-cut-1": buchholz_cut_1,
    "buchholz-median": buchholz_median,
    "forfeits": forfeits,
    "lots": lots,
}

AMONG_TIED: Final = frozenset({"direct"})  # these mean nothing outside a tied group
LESS_IS_MORE: Final = frozenset({"forfeits"})  # of these the lowest ranks first


def check_tie_breaks(names: Sequence[str]) -> None:
    """Check a tournament's list of tie-breaks.  Raises ConfigError."""
    for name in names:
        if name not in TIE_BREAKS:
            raise unknown("tie-break", name, TIE_BREAKS)
    if len(set(names)) != len(names):
        raise ConfigError("a tie-break is named twice; each may stand there once")
    if names[:1] != ["points"]:
        raise ConfigError('ranks go by points first; begin the list with "points"')
