"""Rankings of groups of bots: teams by the sum of their bots' points, and the bots of each category."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from arbiter.tournament.standings.table import Standing


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
            points=sum(one.points for one in rows[team]),
            games=sum(one.games for one in rows[team]),
            wins=sum(one.wins for one in rows[team]),
            draws=sum(one.draws for one in rows[team]),
            losses=sum(one.losses for one in rows[team]),
            forfeits=sum(one.forfeits for one in rows[team]),
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
