"""Standings: rank the bots of a tournament by tie-breaks, and their teams and categories."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from arbiter.errors import ConfigError, check_known
from arbiter.games.base import Ending
from arbiter.games.chance import Seed, derive_seed
from arbiter.tournament.fixture import RoundBye
from arbiter.tournament.standings.crosstable import (
    Crosstable,
    Effort,
    build_crosstable,
    count_forfeit_causes,
    count_repeats,
    round_points,
    sum_effort,
)
from arbiter.tournament.standings.stored_game import StoredGame
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
        check_known("tie-break", name, TIE_BREAKS)
    if len(set(names)) != len(names):
        raise ConfigError("a tie-break is listed twice; list each one once")
    if names[:1] != ["points"]:
        raise ConfigError('the first tie-break must be "points"; put it at the beginning of the list')


# --- standings ------------------------------------------------------------------------------------


COUNTS: Final = ("points", "games", "wins", "draws", "losses", "forfeits")
"""Counts of the games of a bot, a team, or one bot against another."""


class Standing(Struct, frozen=True, kw_only=True):
    """A bot's row in the standings."""

    rank: int
    bot: str
    points: float
    """The points of byes included."""
    games: int
    """wins + draws + losses + forfeits."""
    wins: int
    draws: int
    losses: int
    """On the board, without forfeits."""
    forfeits: int
    """Forfeited by this bot."""
    forfeit_causes: dict[Ending, int]
    tie_breaks: dict[str, float | None]
    """Value of each tie-break but points; None if it was not needed or has no value for the tied bots."""
    decided_by: str | None
    """The last tie-break needed to separate the bot from the one above or below; None if points did, or nothing."""
    byes: int = 0
    reached: str | None = None
    """The round or stage in which the bot went out."""
    repeats: int = 0
    """Its games that are identical to an earlier game of the same bots."""
    mean_plies: float | None = None
    mean_seconds: float | None = None
    status: str | None = None
    """`withdrawn`, `suspended` or `disqualified`."""
    withdrawn: str | None = None
    """Its games then: `kept`, `struck`, or `lost` if it was disqualified."""
    rulings: tuple[int, ...] = ()
    """Numbers of the rulings that changed its results."""


class _Place(Struct, frozen=True):
    """Bots that share a rank."""

    bots: tuple[str, ...]
    separated_by: str | None
    """The tie-break that separates them from the bots above."""
    values: dict[str, dict[str, float]]
    """The tie-breaks that were applied to them."""


def rank_bots(
    bots: Sequence[str],
    games: Iterable[StoredGame],
    tie_breaks: Sequence[str],
    seed: Seed = 0,
    byes: Iterable[RoundBye] = (),
    *,
    total_rounds: int | None = None,
) -> tuple[Standing, ...]:
    """Rank the bots by the tie-breaks in their order; bots that are equal in all of them share a rank.

    A tie-break that splits a tied group is applied again to each part of it: a direct encounter is counted again among
    the bots that are still tied.  The tie-break `lots` is drawn from the seed.  `total_rounds` is the number
    of rounds of a Swiss tournament.
    """
    games = tuple(games)
    table = build_crosstable(bots, games, byes, total_rounds)
    causes = count_forfeit_causes(games)
    effort = sum_effort(games)
    repeats = Counter[str]()
    for one in count_repeats(games):
        repeats.update({one.one: one.repeated, one.two: one.repeated})
    whole = {name: TIE_BREAKS[name](table, bots, seed) for name in tie_breaks if name not in AMONG_TIED}
    places = tuple(_split(table, _Place(tuple(bots), None, {}), tuple(tie_breaks), seed))
    order = {name: number for number, name in enumerate(tie_breaks) if number}
    standings: list[Standing] = []
    for index, place in enumerate(places):
        below = places[index + 1].separated_by if index + 1 < len(places) else None
        needed = [name for name in (place.separated_by, below) if name in order]
        values = whole | place.values
        rank = len(standings) + 1
        for bot in place.bots:
            tally = table.totals[bot]
            own = effort.get(bot, Effort())
            standings.append(
                Standing(
                    rank=rank,
                    bot=bot,
                    **{name: getattr(tally, name) for name in COUNTS},
                    forfeit_causes=dict(sorted(causes.get(bot, {}).items())),
                    tie_breaks={name: (values.get(name) or {}).get(bot) for name in tie_breaks if name != "points"},
                    decided_by=max(needed, key=lambda name: order[name], default=None),
                    byes=sum(bye.bot == bot for bye in table.byes),
                    repeats=repeats[bot],
                    mean_plies=own.mean_plies,
                    mean_seconds=own.mean_seconds,
                )
            )
    return tuple(standings)


def _split(table: Crosstable, place: _Place, tie_breaks: tuple[str, ...], seed: Seed) -> Iterator[_Place]:
    """Yield the places of tied bots from the top; each part begins again with the tie-break that split it."""
    if len(place.bots) < 2 or not tie_breaks:  # noqa: PLR2004 - a bot alone is not tied
        if place.bots:
            yield place
        return
    name, *rest = tie_breaks
    values = TIE_BREAKS[name](table, place.bots, seed)
    applied = place.values | ({name: values} if values else {})
    if values is None or len(set(values.values())) == 1:
        yield from _split(table, replace(place, values=applied), tuple(rest), seed)
        return
    for index, value in enumerate(sorted(set(values.values()), reverse=name not in LOWEST_FIRST)):
        part = tuple(bot for bot in place.bots if values[bot] == value)
        yield from _split(table, _Place(part, name if index else place.separated_by, applied), tie_breaks, seed)


# --- standings of groups --------------------------------------------------------------------------


class TeamStanding(Struct, frozen=True, kw_only=True):
    """A team's row in the standings of teams; all counts are sums over its bots and over all stages."""

    rank: int
    team: str
    points: float
    games: int
    wins: int
    draws: int
    losses: int
    forfeits: int
    bots: tuple[str, ...]
    """From the best to the worst of the final ranking."""


def rank_teams(
    teams: Mapping[str, str], final: Iterable[Standing], stages: Iterable[Sequence[Standing]]
) -> tuple[TeamStanding, ...]:
    """Rank teams by points, then wins; teams that are equal in both share a rank.

    `teams` are the teams of the bots that have one, `stages` the standings of each stage.
    """
    members: dict[str, list[str]] = {}
    for one in final:
        if one.bot in teams:
            members.setdefault(teams[one.bot], []).append(one.bot)
    rows: dict[str, list[Standing]] = {team: [] for team in members}
    for stage in stages:
        for one in stage:
            if one.bot in teams:
                rows[teams[one.bot]].append(one)
    found = [
        TeamStanding(
            rank=0,
            team=team,
            **{name: sum(getattr(one, name) for one in rows[team]) for name in COUNTS},
            bots=tuple(bots),
        )
        for team, bots in members.items()
    ]
    found.sort(key=lambda one: (-one.points, -one.wins))
    scores = [(one.points, one.wins) for one in found]
    return tuple(replace(one, rank=1 + scores.index((one.points, one.wins))) for one in found)


def rank_categories(categories: Mapping[str, str], final: Iterable[Standing]) -> dict[str, tuple[Standing, ...]]:
    """Return the final ranking of the bots of each category, with their ranks in the category.

    `categories` are the categories of the bots that have one, in the order in which they are listed.
    """
    members: dict[str, list[Standing]] = {category: [] for category in categories.values()}
    for one in final:
        if one.bot in categories:
            members[categories[one.bot]].append(one)
    return {
        category: tuple(replace(one, rank=1 + [other.rank for other in found].index(one.rank)) for one in found)
        for category, found in members.items()
    }
