"""The table of a season: points for each event, the best of them, and the ranking of the bots."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from arbiter.errors import ConfigError
from arbiter.tournament.config.bot_entries import BotEntry
from arbiter.tournament.config.event_data import EventTable
from arbiter.tournament.prizes import find_ties
from arbiter.tournament.ratings.pairs import find_score
from arbiter.tournament.season.season_file import Division, SeasonFile, SeasonTies
from arbiter.tournament.standings.crosstable import round_points
from arbiter.tournament.standings.stored_game import Points, StoredGame
from arbiter.tournament.standings.table import Standing

_DECIMALS: Final = 2  # of the points of an event, so that sums can be checked by hand
_FULL: Final = 100.0  # the share of a bot that has won every game


class EventResult(Struct, frozen=True, kw_only=True):
    """The values of an event that count in a season; bots have their names of the season."""

    title: str
    event: EventTable = EventTable()
    rules: str = ""
    formats: Sequence[str] = ()
    """The format of each stage."""
    weight: float = 1.0
    link: str | None = None
    points: Points | None = None
    """None for an event that has not begun."""
    total: int = 0
    """Number of games of its schedule, as far as it is known."""
    is_finished: bool = False
    ranking: Sequence[Standing] = ()
    """The final ranking, or the one so far."""
    scores: Mapping[str, float] = {}
    """The points of each bot, over all stages."""
    most_games: int = 0
    """The most games that a bot has played, byes included."""
    games: Sequence[StoredGame] = ()
    """The games that count for the standings."""
    bots: Mapping[str, BotEntry] = {}
    pool: int = 0
    """Events with the same number have the same rules, so that their games are rated together."""
    seed: int = 0

    @property
    def has_begun(self) -> bool:
        return bool(self.games)

    def list_first(self) -> list[str]:
        """List the bots on the first rank."""
        return [row.bot for row in self.ranking if row.rank == 1] if self.has_begun else []


class Season(Struct, frozen=True, kw_only=True):
    """A season with its events so far."""

    file: SeasonFile
    events: tuple[EventResult, ...]
    bots: Mapping[str, BotEntry]
    """The bots by their names in the season: as the file of entrants has them, or their last event."""


Status = Literal["", "struck", "disqualified"]


class Share(Struct, frozen=True, kw_only=True):
    """The points that an event has given to a bot."""

    rank: int
    """In the event."""
    score: float
    """Points of the event, over all stages."""
    points: float
    """Points of the season."""
    status: Status = ""
    counts: bool = True
    """False if better events count instead."""


class SeasonStanding(Struct, frozen=True, kw_only=True):
    """A bot's row in the table of a season."""

    rank: int
    bot: str
    points: float
    shares: tuple[Share | None, ...]
    """For each event; None if the bot was absent."""
    tie_breaks: dict[str, float | None] = {}
    """By the names that people read: `1st places`, `direct`, `all events`, `event 3`."""
    separated_by: str | None = None
    """The tie-break that separates the bot from the ones above; None if points did, or nothing."""
    division: str | None = None
    moves: str | None = None
    """`promoted`, `relegated`, or `tied` if equal bots are on both sides of the line."""

    @property
    def reached(self) -> None:
        """A season has no rounds to go out in."""
        return

    @property
    def played(self) -> int:
        """The number of events that the bot played."""
        return sum(one is not None for one in self.shares)


def share_out(event: EventResult, file: SeasonFile) -> dict[str, Share]:
    """Return what an event gives to each of its bots.

    Disqualified bots and bots whose games are struck get nothing, and the places below them close up.
    """
    if not event.has_begun or event.points is None:
        return {}
    counted = [row for row in event.ranking if _find_status(row) == ""]
    if isinstance(file.points, list):
        earned = _divide_places(file.points, counted, file.ties)
    elif file.points == "share":
        most = event.points.win * event.most_games
        earned = {row.bot: _FULL * event.scores[row.bot] / most for row in counted} if most > 0 else {}
    else:
        earned = {row.bot: event.scores[row.bot] for row in counted}
    return {
        row.bot: Share(
            rank=row.rank,
            score=event.scores[row.bot],
            points=round(earned.get(row.bot, 0.0) * event.weight, _DECIMALS),
            status=_find_status(row),
        )
        for row in event.ranking
    }


def _find_status(row: Standing) -> Status:
    if row.status == "disqualified" or row.withdrawn == "lost":
        return "disqualified"
    return "struck" if row.withdrawn == "struck" else ""


def _divide_places(points: Sequence[float], rows: Sequence[Standing], ties: SeasonTies) -> dict[str, float]:
    """Give each bot the points of its place; equal bots get the mean of their places."""
    groups = find_ties(rows) if ties == "share" else {}
    earned: dict[str, float] = {}
    values = [*points, *[0.0] * len(rows)]
    for row in rows:
        equal = [
            place for place, other in enumerate(rows) if other.rank == row.rank or other.bot in groups.get(row.bot, ())
        ]
        earned[row.bot] = sum(values[place] for place in equal) / len(equal)
    return earned


def choose_best(shares: Sequence[Share | None], best: int | None) -> tuple[Share | None, ...]:
    """Mark the shares that count: the best ones; that of a disqualified bot always counts."""
    if best is None:
        return tuple(shares)
    order = sorted(
        (number for number, one in enumerate(shares) if one is not None),
        key=lambda number: _order_share(shares[number], number),
    )
    return tuple(
        None if one is None else replace(one, counts=number in order[:best]) for number, one in enumerate(shares)
    )


def _order_share(share: Share | None, number: int) -> tuple[bool, float, int]:
    """Return the sort key of a share of a bot: the best come first, and of equal ones that of the first event."""
    return (share is None or share.status != "disqualified", -share.points if share else 0.0, number)


# --- ranking --------------------------------------------------------------------------------------


Values = Callable[[Sequence[str]], Mapping[str, float] | None]
"""Returns the value of each of some tied bots; None if there are none for all."""


def rank_season(
    file: SeasonFile, events: Sequence[EventResult], bots: Iterable[str] | None = None
) -> tuple[SeasonStanding, ...]:
    """Rank the bots of all events, or the given ones, by their points and the tie-breaks.

    Raises ConfigError if the scores of the events cannot be added up.
    """
    if file.points == "scores":
        _check_points(events)
    given = [share_out(event, file) for event in events]
    names = sorted({bot for shares in given for bot in shares} if bots is None else {*bots})
    shares = {bot: choose_best([one.get(bot) for one in given], file.best) for bot in names}
    totals = {bot: _sum_points(one for one in shares[bot] if one and one.counts) for bot in names}
    tie_breaks: list[tuple[str, Values]] = [("points", lambda _group: totals)]
    tie_breaks += _make_tie_breaks(file, shares, [game for event in events for game in event.games])
    rows: list[SeasonStanding] = []
    for group, separated_by, values in _split(names, tie_breaks, None, {}):
        rank = len(rows) + 1
        for bot in group:
            found = {name: one[bot] for name, one in values.items() if name != "points"}
            row = SeasonStanding(
                rank=rank,
                bot=bot,
                points=totals[bot],
                shares=shares[bot],
                tie_breaks={name: found.get(name) for name, _ in tie_breaks if name != "points"},
                separated_by=None if separated_by == "points" else separated_by,
            )
            rows.append(row)
    return tuple(rows)


def _check_points(events: Sequence[EventResult]) -> None:
    """Raise ConfigError unless all events have the same points for a win, a draw and a loss."""
    begun = [event for event in events if event.points is not None]
    for event in begun:
        if event.points != begun[0].points:
            raise ConfigError(
                f'points: "scores" adds up the points of the events, but {event.title} has other points for a win, a '
                f'draw or a loss than {begun[0].title}; use "share", or a list of points for places'
            )


def _sum_points(shares: Iterable[Share]) -> float:
    return round_points(sum(one.points for one in shares))


def _make_tie_breaks(
    file: SeasonFile, shares: Mapping[str, Sequence[Share | None]], games: Sequence[StoredGame]
) -> Iterator[tuple[str, Values]]:
    """Yield the tie-breaks one by one: `places-1`, `places-2`, ..., `direct`, `all`, `event-3`, `event-2`, ..."""
    for name in file.tie_breaks:
        match name:
            case "places":
                last = max((one.rank for own in shares.values() for one in own if one), default=0)
                yield from ((f"places-{place}", _count_places(shares, place)) for place in range(1, last + 1))
            case "direct":
                yield name, lambda group: _compare_directly(games, group)
            case "all":
                yield name, lambda group: {bot: _sum_points(filter(None, shares[bot])) for bot in group}
            case _:
                for number in range(len(file.events), 0, -1):
                    yield f"event-{number}", _read_points(shares, number - 1)


def _count_places(shares: Mapping[str, Sequence[Share | None]], place: int) -> Values:
    return lambda group: {
        bot: float(sum(one is not None and one.rank == place and not one.status for one in shares[bot]))
        for bot in group
    }


def _read_points(shares: Mapping[str, Sequence[Share | None]], number: int) -> Values:
    return lambda group: {bot: one.points if (one := shares[bot][number]) else 0.0 for bot in group}


def _compare_directly(games: Iterable[StoredGame], group: Sequence[str]) -> Mapping[str, float] | None:
    """Return the scores per game of tied bots against each other one, added up; None unless all have met."""
    scores: dict[tuple[str, str], list[float]] = {(one, two): [] for one in group for two in group if one != two}
    for game in games:
        score = find_score(game, game.red)
        if score is not None and (game.red, game.blue) in scores:
            scores[game.red, game.blue].append(score)
            scores[game.blue, game.red].append(1 - score)
    if not all(scores.values()):
        return None
    means = {pairing: sum(found) / len(found) for pairing, found in scores.items()}
    return {bot: round_points(sum(mean for (one, _), mean in means.items() if one == bot)) for bot in group}


def _split(
    group: Sequence[str],
    tie_breaks: Sequence[tuple[str, Values]],
    separated_by: str | None,
    known: Mapping[str, Mapping[str, float]],
) -> Iterator[tuple[Sequence[str], str | None, Mapping[str, Mapping[str, float]]]]:
    """Yield equal bots from the top, the tie-break that separates them from those above, and all values used."""
    if len(group) < 2 or not tie_breaks:  # noqa: PLR2004 - a bot alone is not tied
        if group:
            yield group, separated_by, known
        return
    (name, find), *rest = tie_breaks
    values = find(group)
    if values is None or len({values[bot] for bot in group}) == 1:
        yield from _split(group, rest, separated_by, known if values is None else {**known, name: values})
        return
    for number, value in enumerate(sorted({values[bot] for bot in group}, reverse=True)):
        part = [bot for bot in group if values[bot] == value]
        yield from _split(part, tie_breaks, name if number else separated_by, {**known, name: values})


# --- divisions ------------------------------------------------------------------------------------


class DivisionTable(Struct, frozen=True):
    """The table of a division."""

    division: Division | None
    """None for the bots of no division, or of a season without divisions."""
    rows: tuple[SeasonStanding, ...]


def rank_divisions(file: SeasonFile, events: Sequence[EventResult]) -> tuple[DivisionTable, ...]:
    """Rank the bots of each division, and mark those that move; the bots of no division come last.

    Raises ConfigError as `rank_season` does.
    """
    everyone = rank_season(file, events)
    if not file.divisions:
        return (DivisionTable(None, everyone),)
    tables = [
        DivisionTable(one, tuple(_mark_moves(one, rank_season(file, events, one.bots)))) for one in file.divisions
    ]
    members = {bot for one in file.divisions for bot in one.bots}
    if others := [row.bot for row in everyone if row.bot not in members]:
        tables.append(DivisionTable(None, rank_season(file, events, others)))
    return tuple(tables)


def _mark_moves(division: Division, rows: Sequence[SeasonStanding]) -> Iterator[SeasonStanding]:
    """Mark the bots that are promoted or relegated; equal bots on both sides of a line are tied."""
    lines = {"promoted": division.promoted, "relegated": len(rows) - division.relegated}
    for number, row in enumerate(rows):
        equal = [place for place, other in enumerate(rows) if other.rank == row.rank]
        moves = None
        if number < lines["promoted"]:
            moves = "promoted"
        elif number >= lines["relegated"]:
            moves = "relegated"
        if any(equal[0] < line <= equal[-1] for line in lines.values()):
            moves = "tied"
        yield replace(row, division=division.name, moves=moves)


def list_next_divisions(tables: Sequence[DivisionTable]) -> dict[str, list[str]] | None:
    """List the bots of each division in the next season; None without divisions, or if equal bots are tied."""
    divisions = [one for one in tables if one.division is not None]
    if not divisions or any(row.moves == "tied" for one in divisions for row in one.rows):
        return None
    found: dict[str, list[str]] = {one.division.name: [] for one in divisions if one.division}
    names = list(found)
    steps = {"promoted": -1, "relegated": 1, None: 0}
    for number, one in enumerate(divisions):
        for row in one.rows:
            found[names[number + steps[row.moves]]].append(row.bot)
    return found
