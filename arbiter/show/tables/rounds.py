"""A Swiss tournament's rounds and a knockout's bracket as sheets."""

from collections.abc import Iterable, Sequence

from msgspec.structs import asdict

from arbiter.show.tables.sheet import Cell, Sheet
from arbiter.show.text import number, tidied
from arbiter.tournament.fixture import Match, RoundBye
from arbiter.tournament.standings.stored_game import StoredGame


def rounds_sheet(bots: Sequence[str], games: Iterable[StoredGame], byes: Iterable[RoundBye]) -> Sheet:
    """Make the sheet of a Swiss tournament's rounds, the bots in the order given: whom each met, for which points."""
    place = {bot: row for row, bot in enumerate(bots, start=1)}
    points: dict[tuple[str, int], float] = {}
    against: dict[tuple[str, int], str] = {}
    for game in games:
        for bot, other, worth in ((game.red, game.blue, game.red_points), (game.blue, game.red, game.blue_points)):
            points[bot, game.round] = points.get((bot, game.round), 0) + worth
            against[bot, game.round] = str(place[other])
    for bye in byes:
        points[bye.bot, bye.round] = bye.points
        against[bye.bot, bye.round] = "bye"
    rounds = sorted({round_ for _, round_ in points})
    cells = {key: f"{against[key]}: {number(worth)}" for key, worth in points.items()}
    return Sheet(
        title="Rounds: opponent's row and points against it",
        head=("", "bot", *rounds),
        rows=tuple((row, bot, *(cells.get((bot, one)) for one in rounds)) for bot, row in place.items()),
        objects=tuple(_rounds_object(bot, rounds, cells) for bot in bots),
    )


def _rounds_object(bot: str, rounds: Iterable[int], cells: dict[tuple[str, int], str]) -> dict[str, object]:
    return {"bot": bot, "rounds": {str(one): cells.get((bot, one)) for one in rounds}}


def bracket_sheet(matches: Sequence[Match]) -> Sheet:
    """Make the sheet of a knockout's matches, round by round."""
    return Sheet(
        title="Bracket",
        head=("round", "match", "points", "winner", "decided by"),
        rows=tuple(_match(match) for match in matches),
        objects=tuple({key: _tidy(value) for key, value in asdict(match).items()} for match in matches),
    )


def _match(match: Match) -> tuple[Cell, ...]:
    if match.two is None:
        return (match.round, match.one, None, match.winner, match.how)
    score = f"{number(match.one_points)} : {number(match.two_points)}" if match.games else None
    return (match.round, f"{match.one} - {match.two}", score, match.winner, match.how or None)


def _tidy(value: object) -> object:
    return tidied(value) if isinstance(value, float) else value
