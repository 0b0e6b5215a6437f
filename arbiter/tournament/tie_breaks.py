"""What ranks bots, in the order a tournament lists them: each is a function of the crosstable and a tied group."""

from collections.abc import Callable, Sequence
from typing import Final

from arbiter.errors import ConfigError
from arbiter.games.catalogue import unknown
from arbiter.tournament.crosstable import Crosstable, settled

Values = dict[str, float] | None
TieBreak = Callable[[Crosstable, Sequence[str]], Values]


def points(table: Crosstable, group: Sequence[str]) -> Values:
    """Rank by points."""
    return {bot: table.totals[bot].points for bot in group}


def wins(table: Crosstable, group: Sequence[str]) -> Values:
    """Rank by games won, by forfeit too."""
    return {bot: float(table.totals[bot].wins) for bot in group}


def direct(table: Crosstable, group: Sequence[str]) -> Values:
    """Rank by the points made among exactly those tied; says nothing unless all have met, equally often."""
    meetings = {table[bot][other].games for bot in group for other in group if other != bot}
    if len(meetings) != 1 or 0 in meetings:
        return None
    return {bot: settled(sum(table[bot][other].points for other in group if other != bot)) for bot in group}


def sonneborn_berger(table: Crosstable, group: Sequence[str]) -> Values:
    """Rank by whom one beat: the total scores of the opponents, each times one's own score against him.

    Scores are the usual ones, a win 1 and a draw a half, whatever the tournament's points: what is
    measured is the strength of those one scored against, not what a forfeit costs here.
    """
    return {
        bot: sum(tally.score * table.totals[opponent].score for opponent, tally in table[bot].items()) for bot in group
    }


TIE_BREAKS: Final[dict[str, TieBreak]] = {
    "points": points,
    "wins": wins,
    "direct": direct,
    "sonneborn-berger": sonneborn_berger,
}

AMONG_TIED: Final = frozenset({"direct"})  # these mean nothing outside a tied group


def check_tie_breaks(names: Sequence[str]) -> None:
    """Check a tournament's list of tie-breaks.  Raises ConfigError."""
    for name in names:
        if name not in TIE_BREAKS:
            raise unknown("tie-break", name, TIE_BREAKS)
    if len(set(names)) != len(names):
        raise ConfigError("a tie-break is named twice; each may stand there once")
    if names[:1] != ["points"]:
        raise ConfigError('ranks go by points first; begin the list with "points"')
