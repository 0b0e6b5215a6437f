"""Standings, crosstable and list of games as sheets."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations

from msgspec.structs import asdict

from arbiter.games.base import FORFEITS
from arbiter.show.tables.sheet import Cell, Sheet
from arbiter.show.text import number, tidied
from arbiter.tournament.standings.crosstable import Crosstable, Tally
from arbiter.tournament.standings.game_statistics import Repeats
from arbiter.tournament.standings.stored_game import StoredGame
from arbiter.tournament.standings.table import Standing

_COUNTED = ("rank", "bot", "points", "games", "wins", "draws", "losses", "forfeits")


def standings_sheet(standings: Sequence[Standing]) -> Sheet:
    """Make the sheet of the standings; a tie-break has a column where it decided, forfeits where there are any."""
    deciders = dict.fromkeys(one.decided_by for one in standings if one.decided_by)
    if any("average" in one.tie_breaks for one in standings):
        deciders = {"average": None, **deciders}
    columns: dict[str, list[Cell]] = {
        name: [one.tie_breaks.get(name) for one in standings] for name in deciders if name not in _COUNTED
    }
    columns["byes"] = [one.byes or None for one in standings]
    columns["out in"] = [one.reached for one in standings]
    columns["withdrawn"] = [f"games {one.withdrawn}" if one.withdrawn else None for one in standings]
    columns["decided by"] = [one.decided_by for one in standings]
    columns["forfeited for"] = [_causes(one) for one in standings]
    used = {head: column for head, column in columns.items() if any(cell is not None for cell in column)}
    counted = (tuple(getattr(one, field) for field in _COUNTED) for one in standings)
    return Sheet(
        title="Standings",
        head=(*_COUNTED, *used),
        rows=tuple((*counts, *(column[row] for column in used.values())) for row, counts in enumerate(counted)),
        objects=tuple(_standing_object(one) for one in standings),
    )


def _causes(standing: Standing) -> str | None:
    return ", ".join(f"{cause} {times}" for cause, times in standing.forfeit_causes.items()) or None


def _standing_object(standing: Standing) -> dict[str, object]:
    values = {name: None if value is None else tidied(value) for name, value in standing.tie_breaks.items()}
    return {**asdict(standing), "points": tidied(standing.points), "tie_breaks": values}


def crosstable_sheet(bots: Sequence[str], table: Crosstable) -> Sheet:
    """Make the sheet of the crosstable, the bots in the order given; what byes are worth has a column of its own."""
    byes = {bot: sum(bye.points for bye in table.byes if bye.bot == bot) for bot in bots}
    more = ("byes",) if any(byes.values()) else ()
    return Sheet(
        title="Crosstable: points (won=drawn-lost)",
        head=("", "bot", *range(1, len(bots) + 1), *more),
        rows=tuple(
            (row, bot, *(_against(table[bot].get(opponent)) for opponent in bots), *(number(byes[bot]) for _ in more))
            for row, bot in enumerate(bots, start=1)
        ),
        objects=tuple(_pairings(bots, table)),
    )


def _against(tally: Tally | None) -> str:
    if tally is None:
        return "x"
    if not tally.games:
        return ""
    return f"{number(tally.points)} ({tally.wins}={tally.draws}-{tally.losses + tally.forfeits})"


def pairings_sheet(bots: Sequence[str], table: Crosstable) -> Sheet:
    """Make the sheet of the crosstable for a spreadsheet: a row for each bot against each other."""
    objects = tuple(_pairings(bots, table))
    return Sheet(
        title="Pairings",
        head=("bot", "opponent", "points", "games", "wins", "draws", "losses", "forfeits"),
        rows=tuple(tuple(pairing.values()) for pairing in objects),
        objects=objects,
    )


def _pairings(bots: Sequence[str], table: Crosstable) -> Iterator[dict[str, Cell]]:
    for bot, opponent in permutations(bots, 2):
        tally = table[bot][opponent]
        names: dict[str, Cell] = {"bot": bot, "opponent": opponent, "points": tidied(tally.points)}
        counts = {field: getattr(tally, field) for field in ("games", "wins", "draws", "losses", "forfeits")}
        yield {**names, **counts}


def repeats_sheet(repeated: Iterable[Repeats]) -> Sheet:
    """Make the sheet of what was played more than once."""
    repeated = tuple(repeated)
    return Sheet(
        title="Identical games",
        head=("pairing", "of its games"),
        rows=tuple(
            (f"{one.one} - {one.two}", f"{one.repeated} of {one.games} are identical to an earlier one (same acts)")
            for one in repeated
        ),
        objects=tuple(asdict(one) for one in repeated),
    )


def games_sheet(games: Iterable[StoredGame]) -> Sheet:
    """Make the sheet of a list of games."""
    games = tuple(games)
    return Sheet(
        title="Games",
        head=("id", "round", "red", "blue", "winner", "ending", "plies", "red points", "blue points"),
        rows=tuple(_game(game) for game in games),
        objects=tuple(game_object(game) for game in games),
    )


def _game(game: StoredGame) -> tuple[Cell, ...]:
    names = (game.id, game.round, game.red, game.blue)
    return (*names, winner_of(game), game.ending, game.plies, game.red_points, game.blue_points)


def winner_of(game: StoredGame) -> str:
    """Say who won a game, or why nobody did."""
    if game.winner:
        return game.winner
    if game.ending == "void":
        return "void"
    return "nobody" if game.ending in FORFEITS else "draw"


def game_object(game: StoredGame) -> dict[str, object]:
    """Write a game as an object for programs."""
    points = {"red": tidied(game.red_points), "blue": tidied(game.blue_points)}
    fields = ("id", "round", "red", "blue", "winner", "ending", "why", "plies")
    return {**{field: getattr(game, field) for field in fields}, "points": points}
