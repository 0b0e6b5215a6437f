"""Tie-breaks, by name. Each is a function of the crosstable, a tied group and the tournament's seed."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

from arbiter.errors import ConfigError, unknown_name
from arbiter.games.chance import Seed, derive_seed
from arbiter.tournament.standings.crosstable import Crosstable, round_points
from protocol.words import RED

Values = dict[str, float] | None
TieBreak = Callable[[Crosstable, Sequence[str], Seed], Values]

_LOTS: Final = 2**53  # derived seeds are below it


def points(table: Crosstable, group: Sequence[str], seed: Seed) -> Values:
    """Rank by points."""
    return {bot: table.totals[bot].points for bot in group}


def average(table: Crosstable, group: Sequence[str], seed: Seed) -> Values:
    """Rank by points per game, games of byes included; 0 without games."""
    games = {bot: table.totals[bot].games for bot in group}
    for bye in table.byes:
        if bye.bot in games:
            games[bye.bot] += bye.games
    return {bot: round_points(table.totals[bot].points / played) if played else 0.0 for bot, played in games.items()}


def wins(table: Crosstable, group: Sequence[str], seed: Seed) -> Values:
    """Rank by games won, on the board or not: games of byes and walkovers count (FIDE Handbook C.07, 7.1)."""
    won = {bot: float(table.totals[bot].wins) for bot in group}
    for bye in table.byes:
        if bye.bot in won and bye.points and bye.share == 1:
            won[bye.bot] += bye.games
    return won


def won_on_board(table: Crosstable, group: Sequence[str], seed: Seed) -> Values:
    """Rank by games won that were played, without byes and walkovers (FIDE Handbook C.07, 7.2)."""
    won = Counter(
        game.red if game.winner == RED else game.blue for game in table.games if game.winner and game.was_played
    )
    return {bot: float(won[bot]) for bot in group}


def direct(table: Crosstable, group: Sequence[str], seed: Seed) -> Values:
    """Rank by the points among the tied bots alone; None unless all have met each other equally often."""
    meetings = {table[bot][other].games for bot in group for other in group if other != bot}
    if len(meetings) != 1 or 0 in meetings:
        return None
    return {bot: round_points(sum(table[bot][other].points for other in group if other != bot)) for bot in group}


def sonneborn_berger(table: Crosstable, group: Sequence[str], seed: Seed) -> Values:
    """Rank by Sonneborn-Berger: the sum of each opponent's total score times the bot's own score against it.

    Scores are the usual ones, a win 1 and a draw a half, whatever the tournament's points: the tie-break measures the
    strength of the opponents, not the price of a forfeit (FIDE Handbook C.07, 9.1).
    """
    return {bot: sum(one.value * one.score for one in table.opposition.list_contributions(bot)) for bot in group}


def buchholz(table: Crosstable, group: Sequence[str], seed: Seed) -> Values:
    """Rank by Buchholz: the sum of the opponents' scores (FIDE Handbook C.07, 8.1)."""
    return {bot: sum(_list_opponents_scores(table, bot)) for bot in group}


def buchholz_cut_1(table: Crosstable, group: Sequence[str], seed: Seed) -> Values:
    """Rank by the sum of the opponents' scores without the lowest (FIDE Handbook C.07, 14.1)."""
    return {bot: sum(_list_opponents_scores(table, bot)[1:]) for bot in group}


def buchholz_median(table: Crosstable, group: Sequence[str], seed: Seed) -> Values:
    """Rank by the sum of the opponents' scores without the lowest and the highest (FIDE Handbook C.07, 14.3)."""
    return {bot: sum(sorted(_list_opponents_scores(table, bot)[1:])[:-1]) for bot in group}


def _list_opponents_scores(table: Crosstable, bot: str) -> list[float]:
    """List the opponents' scores, one for each round, in the order in which they are cut.

    Those of voluntarily unplayed rounds are cut first, then the lowest (FIDE Handbook C.07, 16.5).
    """
    contributions = table.opposition.list_contributions(bot)
    return [one.value for one in sorted(contributions, key=lambda one: (not one.is_voluntary, one.value))]


def forfeits(table: Crosstable, group: Sequence[str], seed: Seed) -> Values:
    """Rank by the bot's own forfeits, the fewest first."""
    return {bot: float(table.totals[bot].forfeits) for bot in group}


def lots(table: Crosstable, group: Sequence[str], seed: Seed) -> Values:
    """Rank by a random number from 0 to 1, the highest first.

    It depends only on the tournament's seed and secret and the bot's name, so it is the same each time.
    """
    return {bot: derive_seed(seed, "lots", bot) / _LOTS for bot in group}


TIE_BREAKS: Final[dict[str, TieBreak]] = {
    "points": points,
    "average": average,
    "wins": wins,
    "won-on-board": won_on_board,
    "direct": direct,
    "sonneborn-berger": sonneborn_berger,
    "buchholz": buchholz,
    "buchholz-cut-1": buchholz_cut_1,
    "buchholz-median": buchholz_median,
    "forfeits": forfeits,
    "lots": lots,
}

AMONG_TIED: Final = frozenset({"direct"})  # these have no value outside a tied group
LOWEST_FIRST: Final = frozenset({"forfeits"})


def check_tie_breaks(names: Sequence[str]) -> None:
    """Check a tournament's list of tie-breaks.  Raises ConfigError."""
    for name in names:
        if name not in TIE_BREAKS:
            raise unknown_name("tie-break", name, TIE_BREAKS)
    if len(set(names)) != len(names):
        raise ConfigError("a tie-break is listed twice; list each one once")
    if names[:1] != ["points"]:
        raise ConfigError('the first tie-break must be "points"; put it at the beginning of the list')
