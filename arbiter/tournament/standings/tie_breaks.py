"""Tie-breaks by the FIDE Handbook, C.07 (in force since 1 March 2026)."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from arbiter.errors import ConfigError, check_known
from arbiter.games.chance import Seed, derive_seed
from arbiter.tournament.standings.crosstable import Crosstable, round_points
from arbiter.tournament.standings.stored_game import score_game
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


def progressive(table: Crosstable, group: Sequence[str], seed: Seed) -> Values:
    """Rank by the sum of the scores that the bot had after each round (FIDE Handbook C.07, 7.5)."""
    return {bot: sum(table.opposition.list_scores_by_round(bot)) for bot in group}


def direct(table: Crosstable, group: Sequence[str], seed: Seed) -> Values:
    """Rank by the points among the tied bots alone, per game against each; None unless all have met each other.

    Walkovers count as games (FIDE Handbook C.07, 6.1.1, 6.1.2 and 6.2).
    """
    cells = {bot: [table[bot][other] for other in group if other != bot] for bot in group}
    if not all(cell.games for row in cells.values() for cell in row):
        return None
    return {bot: round_points(sum(cell.points / cell.games for cell in row)) for bot, row in cells.items()}


def sonneborn_berger(table: Crosstable, group: Sequence[str], seed: Seed) -> Values:
    """Rank by Sonneborn-Berger: the sum of each opponent's total score times the bot's own score against it.

    Scores are the usual ones, a win 1 and a draw a half, whatever the tournament's points: the tie-break measures the
    strength of the opponents, not the price of a forfeit (FIDE Handbook C.07, 9.1).
    """
    if table.total_rounds is None and not table.byes:  # the round of a game does not matter
        scores = {bot: tally.score for bot, tally in table.totals.items()}
        return {bot: sum(scores[other] * cell.score for other, cell in table[bot].items()) for bot in group}
    return {bot: sum(one.value * one.score for one in table.opposition.list_contributions(bot)) for bot in group}


def buchholz(table: Crosstable, group: Sequence[str], seed: Seed) -> Values:
    """Rank by Buchholz: the sum of the opponents' scores (FIDE Handbook C.07, 8.1)."""
    return {bot: sum(_list_opponents_scores(table, bot)) for bot in group}


def koya(table: Crosstable, group: Sequence[str], seed: Seed) -> Values:
    """Rank by the score against bots that have at least half of the score that they could have (C.07, 9.2)."""
    possible = Counter({bot: tally.games for bot, tally in table.totals.items()})
    for bye in table.byes:
        possible[bye.bot] += bye.games
    strong = {bot for bot, most in possible.items() if 2 * table.opposition.find_score(bot) >= most}
    return {bot: sum(cell.score for other, cell in table[bot].items() if other in strong) for bot in group}


def buchholz_cut_1(table: Crosstable, group: Sequence[str], seed: Seed) -> Values:
    """Rank by the sum of the opponents' scores without the lowest (FIDE Handbook C.07, 14.1)."""
    return {bot: sum(_list_opponents_scores(table, bot)[1:]) for bot in group}


def buchholz_cut_2(table: Crosstable, group: Sequence[str], seed: Seed) -> Values:
    """Rank by the sum of the opponents' scores without the two lowest (FIDE Handbook C.07, 14.2)."""
    return {bot: sum(_list_opponents_scores(table, bot)[2:]) for bot in group}


def buchholz_median(table: Crosstable, group: Sequence[str], seed: Seed) -> Values:
    """Rank by the sum of the opponents' scores without the lowest and the highest (FIDE Handbook C.07, 14.3)."""
    return {bot: sum(sorted(_list_opponents_scores(table, bot)[1:])[:-1]) for bot in group}


def _list_opponents_scores(table: Crosstable, bot: str) -> list[float]:
    """List the opponents' scores, one for each round, in the order in which they are cut.

    Those of voluntarily unplayed rounds are cut first, then the lowest (FIDE Handbook C.07, 16.5).
    """
    contributions = table.opposition.list_contributions(bot)
    return [one.value for one in sorted(contributions, key=lambda one: (not one.is_voluntary, one.value))]


def average_rating(table: Crosstable, group: Sequence[str], seed: Seed) -> Values:
    """Rank by the average rating of the opponents, rounded; 0 without games that were played (C.07, 10.1 and 15.2)."""
    ratings = {bot: [table.ratings[other] for _, other in _list_rated_games(table, bot)] for bot in group}
    return {bot: float(_divide(sum(known), len(known))) if known else 0.0 for bot, known in ratings.items()}


def performance(table: Crosstable, group: Sequence[str], seed: Seed) -> Values:
    """Rank by the rating that fits the score against the opponents' ratings; 0 without games (C.07, 10.2)."""
    averages = average_rating(table, group, seed) or {}
    values: dict[str, float] = {}
    for bot in group:
        scores = [score for score, _ in _list_rated_games(table, bot)]
        share = _divide(100 * round(2 * sum(scores)), 2 * len(scores)) if scores else 0
        values[bot] = averages[bot] + find_rating_difference(share) if scores else 0.0
    return values


def _list_rated_games(table: Crosstable, bot: str) -> Iterator[tuple[float, str]]:
    """Yield the score and the opponent of each game of a bot that was played against a bot with a rating."""
    for game in table.games:
        if game.was_played and bot in (game.red, game.blue):
            opponent = game.blue if bot == game.red else game.red
            if opponent in table.ratings:
                yield score_game(game, bot), opponent


def _divide(number: int, by: int) -> int:
    """Divide and round to the nearest whole number, a half up."""
    return (2 * number + by) // (2 * by)


# Rating differences by the share of the score above one half, in hundredths (FIDE Handbook B.02, 8.1.1).
# fmt: off
_DIFFERENCES: Final = (
    0, 7, 14, 21, 29, 36, 43, 50, 57, 65, 72, 80, 87, 95, 102, 110, 117, 125, 133, 141, 149, 158, 166, 175, 184, 193,
    202, 211, 220, 230, 240, 251, 262, 273, 284, 296, 309, 322, 336, 351, 366, 383, 401, 422, 444, 470, 501, 538, 589,
    677, 800,
)
# fmt: on


def find_rating_difference(share: int) -> int:
    """Return the difference in rating that fits a share of the score, in hundredths from 0 to 100."""
    return _DIFFERENCES[share - 50] if share >= 50 else -_DIFFERENCES[50 - share]  # noqa: PLR2004 - one half


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
    "progressive": progressive,
    "direct": direct,
    "sonneborn-berger": sonneborn_berger,
    "koya": koya,
    "buchholz": buchholz,
    "buchholz-cut-1": buchholz_cut_1,
    "buchholz-cut-2": buchholz_cut_2,
    "buchholz-median": buchholz_median,
    "average-rating": average_rating,
    "performance": performance,
    "forfeits": forfeits,
    "lots": lots,
}

AMONG_TIED: Final = frozenset({"direct"})  # these have no value outside a tied group
LOWEST_FIRST: Final = frozenset({"forfeits"})
BY_RATING: Final = frozenset({"average-rating", "performance"})  # these need ratings of the bots


def check_tie_breaks(names: Sequence[str]) -> None:
    """Check a tournament's list of tie-breaks.  Raises ConfigError."""
    for name in names:
        check_known("tie-break", name, TIE_BREAKS)
    if len(set(names)) != len(names):
        raise ConfigError("a tie-break is listed twice; list each one once")
    if names[:1] != ["points"]:
        raise ConfigError('the first tie-break must be "points"; put it at the beginning of the list')
