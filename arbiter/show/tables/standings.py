"""Standings, crosstable, rounds, bracket, effort and repeated games as sheets."""

from collections.abc import Iterable, Sequence
from itertools import permutations
from typing import Final

from msgspec.structs import asdict, replace

from arbiter.games.ending_words import write_ending
from arbiter.show.tables.sheet import Cell, Coded, Sheet
from arbiter.show.text import number, tidied, write_score
from arbiter.tournament.fixture import Match, RoundBye
from arbiter.tournament.standings.crosstable import Crosstable, Repeats, Tally
from arbiter.tournament.standings.stored_game import RuledGame, StoredGame
from arbiter.tournament.standings.table import Standing

_COUNTS: Final = ("rank", "bot", "points", "games", "wins", "draws", "losses", "forfeits")
_EFFORT: Final = ("plies a game", "seconds a game")
RULED_SIGN: Final = "*"
RULED_NOTE: Final = "* with a result by a ruling, or an annulled game"


def standings_sheet(standings: Sequence[Standing]) -> Sheet:
    """Make the sheet of standings; columns without content, such as unused tie-breaks, are left out."""
    deciders = dict.fromkeys(one.decided_by for one in standings if one.decided_by)
    if any("average" in one.tie_breaks for one in standings):
        deciders = {"average": None, **deciders}
    columns: dict[str, list[Cell]] = {
        name: [one.tie_breaks.get(name) for one in standings] for name in deciders if name not in _COUNTS
    }
    if "wins" in deciders and any(one.tie_breaks["wins"] not in (None, one.wins) for one in standings):
        columns["wins with byes"] = [one.tie_breaks["wins"] for one in standings]
    columns["byes"] = [one.byes or None for one in standings]
    columns["repeats"] = [one.repeats or None for one in standings]
    columns["out in"] = [one.reached for one in standings]
    columns["left"] = [f"{one.status}, games {one.withdrawn}" if one.withdrawn else None for one in standings]
    columns["rulings"] = [", ".join(map(str, one.rulings)) or None for one in standings]
    columns["decided by"] = [one.decided_by for one in standings]
    columns["forfeited for"] = [_list_causes(one) if one.forfeit_causes else None for one in standings]
    used = {head: column for head, column in columns.items() if any(cell is not None for cell in column)}
    objects = []
    for one in standings:
        tie_breaks = {name: None if value is None else tidied(value) for name, value in one.tie_breaks.items()}
        objects.append({"type": "standing", **asdict(one), "points": tidied(one.points), "tie_breaks": tie_breaks})
    return Sheet(
        title="Standings",
        head=(*_COUNTS, *used),
        rows=tuple(
            (*(getattr(one, field) for field in _COUNTS), *(column[row] for column in used.values()))
            for row, one in enumerate(standings)
        ),
        objects=tuple(objects),
    )


def _list_causes(one: Standing) -> Coded:
    causes = one.forfeit_causes.items()
    return Coded(
        ", ".join(f"{cause} {times}" for cause, times in causes),
        ", ".join(f"{write_ending(cause)} {times}" for cause, times in causes),
    )


# --- mean lengths and times -----------------------------------------------------------------------


def effort_sheet(standings: Sequence[Standing]) -> Sheet:
    """Make the sheet of mean lengths and times of the bots that have played."""
    played = [one for one in standings if one.mean_plies is not None]
    return Sheet(
        title="Mean length and time",
        head=("bot", *_EFFORT),
        rows=tuple((one.bot, one.mean_plies, one.mean_seconds) for one in played),
        objects=tuple(
            {"bot": one.bot, "mean_plies": one.mean_plies, "mean_seconds": one.mean_seconds} for one in played
        ),
    )


def with_effort(sheet: Sheet, standings: Sequence[Standing]) -> Sheet:
    """Add columns of mean lengths and times to a sheet of standings; its objects contain them already."""
    rows = zip(sheet.rows, standings, strict=True)
    return replace(
        sheet,
        head=(*sheet.head, *_EFFORT),
        rows=tuple((*row, one.mean_plies, one.mean_seconds) for row, one in rows),
    )


# --- who played whom ------------------------------------------------------------------------------


def crosstable_sheet(bots: Sequence[str], table: Crosstable) -> Sheet:
    """Make the sheet of the crosstable, with the bots in the given order and a column for byes if there are any."""

    def against(tally: Tally | None) -> str:
        if tally is None:
            return "x"
        sign = RULED_SIGN if tally.ruled else ""
        if not tally.games:
            return sign
        return f"{number(tally.points)} ({write_score(tally.wins, tally.draws, tally.losses + tally.forfeits)}){sign}"

    byes = {bot: sum(bye.points for bye in table.byes if bye.bot == bot) for bot in bots}
    byes_head = ("byes",) if any(byes.values()) else ()
    objects = []
    is_ruled = False
    for bot, opponent in permutations(bots, 2):
        tally = table[bot][opponent]
        is_ruled = is_ruled or tally.ruled > 0
        counts = {field: getattr(tally, field) for field in ("games", "wins", "draws", "losses", "forfeits", "ruled")}
        objects.append({"bot": bot, "opponent": opponent, "points": tidied(tally.points), **counts})
    return Sheet(
        title="Crosstable: points (wins, draws, losses)",
        head=("", "bot", *range(1, len(bots) + 1), *byes_head),
        rows=tuple(
            (
                row,
                bot,
                *(against(table[bot].get(opponent)) for opponent in bots),
                *(number(byes[bot]) for _ in byes_head),
            )
            for row, bot in enumerate(bots, start=1)
        ),
        objects=tuple(objects),
        notes=(RULED_NOTE,) if is_ruled else (),
    )


def rounds_sheet(bots: Sequence[str], games: Iterable[StoredGame], byes: Iterable[RoundBye]) -> Sheet:
    """Make the sheet of the rounds of a Swiss tournament: opponents and points, with the bots in the given order."""
    row_of = {bot: row for row, bot in enumerate(bots, start=1)}
    points: dict[tuple[str, int], float] = {}
    against: dict[tuple[str, int], str] = {}
    ruled: set[tuple[str, int]] = set()
    for game in games:
        for bot, opponent, worth in ((game.red, game.blue, game.red_points), (game.blue, game.red, game.blue_points)):
            points[bot, game.round] = points.get((bot, game.round), 0) + worth
            against[bot, game.round] = str(row_of[opponent])
            if isinstance(game, RuledGame):
                ruled.add((bot, game.round))
    for bye in byes:
        points[bye.bot, bye.round] = bye.points
        against[bye.bot, bye.round] = "absent" if bye.requested else "bye"
    rounds = sorted({round_ for _, round_ in points})
    cells = {key: f"{against[key]}: {number(worth)}{RULED_SIGN * (key in ruled)}" for key, worth in points.items()}
    return Sheet(
        title="Rounds: opponent's row and points against it",
        head=("", "bot", *rounds),
        rows=tuple((row, bot, *(cells.get((bot, one)) for one in rounds)) for bot, row in row_of.items()),
        objects=tuple({"bot": bot, "rounds": {str(one): cells.get((bot, one)) for one in rounds}} for bot in bots),
        notes=(RULED_NOTE,) if ruled else (),
    )


def bracket_sheet(matches: Sequence[Match]) -> Sheet:
    """Make the sheet of the matches of a knockout, round by round."""
    rows: list[tuple[Cell, ...]] = []
    for match in matches:
        if match.two is None:
            rows.append((match.round, match.one, None, match.winner, match.how))
        else:
            score = f"{number(match.one_points)} : {number(match.two_points)}" if match.games else None
            title = f"{match.one} - {match.two}{' (third place)' if match.place > 1 else ''}"
            rows.append((match.round, title, score, match.winner, match.how or None))
    return Sheet(
        title="Bracket",
        head=("round", "match", "points", "winner", "decided by"),
        rows=tuple(rows),
        objects=tuple(
            {key: tidied(value) if isinstance(value, float) else value for key, value in asdict(match).items()}
            for match in matches
        ),
    )


def repeats_sheet(repeated: Iterable[Repeats]) -> Sheet:
    """Make the sheet of games that are identical to earlier games."""
    repeated = tuple(repeated)
    return Sheet(
        title="Identical games",
        head=("pairing", "repeated games"),
        rows=tuple(
            (f"{one.one} - {one.two}", f"{one.repeated} of {one.games} have the same actions as an earlier game")
            for one in repeated
        ),
        objects=tuple(asdict(one) for one in repeated),
    )
