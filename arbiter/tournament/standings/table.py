"""Standings: rank the bots of a tournament by tie-breaks, and their teams and categories."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from arbiter.games.base import Ending
from arbiter.games.chance import Seed
from arbiter.tournament.fixture import RoundBye
from arbiter.tournament.standings.crosstable import (
    NO_RATINGS,
    Crosstable,
    Effort,
    build_crosstable,
    count_forfeit_causes,
    count_repeats,
    sum_effort,
)
from arbiter.tournament.standings.stored_game import StoredGame
from arbiter.tournament.standings.tie_breaks import AMONG_TIED, LOWEST_FIRST, TIE_BREAKS

# --- standings ------------------------------------------------------------------------------------


COUNTS: Final = ("points", "games", "wins", "draws", "losses", "forfeits")
"""Counts of the games of a bot, a team, or one bot against another."""


class Ranked(Struct, frozen=True, kw_only=True):
    """A bot's row in any ranking."""

    rank: int
    bot: str
    points: float
    """With those of byes."""
    tie_breaks: dict[str, float | None] = {}
    """Value of each tie-break but points; None if it was not needed or has no value for the tied bots."""
    separated_by: str | None = None
    """The tie-break that separates the bot from the ones above with other ranks; None if points did, or nothing."""
    reached: str | None = None
    """The round or stage in which the bot went out."""


class Standing(Ranked, frozen=True, kw_only=True):
    """A bot's row in the standings."""

    games: int
    """wins + draws + losses + forfeits."""
    wins: int
    draws: int
    losses: int
    """On the board, without forfeits."""
    forfeits: int
    """Forfeited by this bot."""
    forfeit_causes: dict[Ending, int]
    decided_by: str | None
    """The last tie-break needed to separate the bot from the one above or below; None if points did, or nothing."""
    byes: int = 0
    repeats: int = 0
    """Its games that are identical to an earlier game of the same bots."""
    mean_plies: float | None = None
    mean_seconds: float | None = None
    mean_move_ms: float | None = None
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
    ratings: Mapping[str, int] = NO_RATINGS,
) -> tuple[Standing, ...]:
    """Rank the bots by the tie-breaks in their order; bots that are equal in all of them share a rank.

    A tie-break that splits a tied group is applied again to each part of it: a direct encounter is counted again among
    the bots that are still tied.  The tie-break `lots` is drawn from the seed.  `total_rounds` is the number
    of rounds of a Swiss tournament, `ratings` are those that bots had before the tournament.
    """
    games = tuple(games)
    table = build_crosstable(bots, games, byes, total_rounds, ratings)
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
                    separated_by=place.separated_by if place.separated_by in order else None,
                    byes=sum(bye.bot == bot for bye in table.byes),
                    repeats=repeats[bot],
                    mean_plies=own.mean_plies,
                    mean_seconds=own.mean_seconds,
                    mean_move_ms=own.mean_move_ms,
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
