"""The table of a tournament, counted from its games.  Pure: knows no file and no database."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from arbiter.games.base import Ending
from arbiter.tournament.fixture import Bye
from arbiter.tournament.standings.crosstable import Crosstable, Tally, crosstable, forfeit_causes
from arbiter.tournament.standings.effort import Effort, efforts
from arbiter.tournament.standings.stored_game import StoredGame
from arbiter.tournament.standings.tie_breaks import AMONG_TIED, LESS_IS_MORE, TIE_BREAKS


class Standing(Struct, frozen=True, kw_only=True):
    """A bot's line in the table; games = wins + draws + losses + forfeits, all of its own.

    `tie_breaks` holds what each tie-break (but points) came to for this bot, None where it was not needed
    or could not tell; `decided_by` names the last tie-break that was needed to part the bot from the
    one above or below it, None where points alone did or nothing could.  The points hold those for `byes`
    (rounds sat out); `reached` names the round or stage in which the bot went out.  `mean_plies` and
    `mean_seconds` tell of the games that it played, None where there is nothing to tell.  `withdrawn` says of
    one that left whether its games are `kept` or `struck`.
    """

    rank: int
    bot: str
    points: float
    games: int
    wins: int
    draws: int
    losses: int
    forfeits: int
    forfeit_causes: dict[str, int]
    tie_breaks: dict[str, float | None]
    decided_by: str | None
    byes: int = 0
    reached: str | None = None
    mean_plies: float | None = None
    mean_seconds: float | None = None
    withdrawn: str | None = None


class _Place(Struct, frozen=True):
    """Bots that share a rank, what parts them from those above, and the tie-breaks they went through."""

    bots: tuple[str, ...]
    parted_by: str | None
    seen: dict[str, dict[str, float]]


def standings(
    bots: Sequence[str],
    games: Iterable[StoredGame],
    tie_breaks: Sequence[str],
    seed: int = 0,
    byes: Iterable[Bye] = (),
) -> tuple[Standing, ...]:
    """Rank the bots by the tie-breaks in their order; those equal in all of them share a rank.

    A tie-break that splits a tied group is applied anew to each part of it: a direct encounter is
    counted again among those who are still tied.  Lots are drawn from the seed.
    """
    games = tuple(games)
    table = crosstable(bots, games, byes)
    causes, effort = forfeit_causes(games), efforts(games)
    whole = {name: TIE_BREAKS[name](table, bots, seed) for name in tie_breaks if name not in AMONG_TIED}
    places = tuple(_rank(table, _Place(tuple(bots), None, {}), tuple(tie_breaks), seed))
    return tuple(
        _standing(
            rank,
            table.totals[bot],
            bot,
            causes=causes.get(bot, {}),
            values=_values(bot, tie_breaks, whole | place.seen),
            decided_by=by,
            byes=sum(bye.bot == bot for bye in table.byes),
            effort=effort.get(bot, Effort()),
        )
        for rank, place, by in _numbered(places, tie_breaks)
        for bot in place.bots
    )


def _rank(table: Crosstable, place: _Place, tie_breaks: tuple[str, ...], seed: int) -> Iterator[_Place]:
    """Yield the places of those tied from the top; each part of a split begins again with the one that split it."""
    if len(place.bots) < 2 or not tie_breaks:  # noqa: PLR2004 - one alone needs no parting
        if place.bots:
            yield place
        return
    name, *rest = tie_breaks
    values = TIE_BREAKS[name](table, place.bots, seed)
    seen = place.seen | ({name: values} if values else {})
    if values is None or len(set(values.values())) == 1:
        yield from _rank(table, replace(place, seen=seen), tuple(rest), seed)
        return
    for index, value in enumerate(sorted(set(values.values()), reverse=name not in LESS_IS_MORE)):
        part = tuple(bot for bot in place.bots if values[bot] == value)
        yield from _rank(table, _Place(part, name if index else place.parted_by, seen), tie_breaks, seed)


def _numbered(places: Sequence[_Place], tie_breaks: Sequence[str]) -> Iterator[tuple[int, _Place, str | None]]:
    """Give each place its rank, and the furthest tie-break that parts it from a neighbour."""
    order = {name: number for number, name in enumerate(tie_breaks) if number}
    rank = 1
    for index, place in enumerate(places):
        below = places[index + 1].parted_by if index + 1 < len(places) else None
        needed = [name for name in (place.parted_by, below) if name in order]
        yield rank, place, max(needed, key=lambda name: order[name], default=None)
        rank += len(place.bots)


def _values(
    bot: str, tie_breaks: Sequence[str], known: Mapping[str, dict[str, float] | None]
) -> dict[str, float | None]:
    return {name: (known.get(name) or {}).get(bot) for name in tie_breaks if name != "points"}


def _standing(
    rank: int,
    tally: Tally,
    bot: str,
    *,
    causes: Mapping[Ending, int],
    values: dict[str, float | None],
    decided_by: str | None,
    byes: int,
    effort: Effort,
) -> Standing:
    return Standing(
        rank=rank,
        bot=bot,
        points=tally.points,
        games=tally.games,
        wins=tally.wins,
        draws=tally.draws,
        losses=tally.losses,
        forfeits=tally.forfeits,
        forfeit_causes=dict(sorted(causes.items())),
        tie_breaks=values,
        decided_by=decided_by,
        byes=byes,
        mean_plies=effort.mean_plies,
        mean_seconds=effort.mean_seconds,
    )
