"""Tournament reports in FIDE's format TRF26, for programs that check pairings and tie-breaks."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Final

from msgspec import Struct

from arbiter import __version__
from arbiter.errors import ConfigError, write_count
from arbiter.tournament.config.tournament import Tournament
from arbiter.tournament.fixture import RoundBye
from arbiter.tournament.schedule.format import Stage
from arbiter.tournament.schedule.stages import Schedule
from arbiter.tournament.standings.stored_game import Points, StoredGame, score_game
from protocol.words import BLUE, RED, Seat

_MOST_BOTS: Final = 9999
_MOST_POINTS: Final = 9999
_NAME_LENGTH: Final = 33
_COLOURS: Final[dict[Seat, str]] = {RED: "w", BLUE: "b"}
_USUAL: Final = (1, 0.5, 0)  # points for a win, a draw and a loss
_PLAYED: Final = {1: "1", 0.5: "=", 0: "0"}
_UNPLAYED: Final = {1: "+", 0.5: "D", 0: "-"}
_BYES: Final = {1: "U", 0.5: "H", 0: "Z"}
_CODES: Final = {
    "points": "PTS",
    "wins": "WIN",
    "won-on-board": "WON",
    "direct": "DE/P",
    "sonneborn-berger": "SB",
    "koya": "KS",
    "buchholz": "BH",
    "buchholz-cut-1": "BH/C{cut}",
    "buchholz-cut-2": "BH/C{twice}",
    "buchholz-median": "BH/M{cut}",
    "average-rating": "ARO",
    "performance": "TPR",
}
"""Codes of tie-breaks; a cut of one round is one of all of its games."""


class _Cell(Struct, frozen=True):
    """A game or a bye of a bot."""

    opponent: str | None
    colour: str
    result: str
    points: float
    why: str


class TournamentReport(Struct, frozen=True, kw_only=True):
    """A report of a stage.  Its rounds are single games: those of a match follow each other."""

    text: str
    left_out: int | None = None
    """Number of the round that is in progress and left out."""
    deviations: int = 0
    """Number of games and byes that count other points than their results have in the report."""


def write_trf(tournament: Tournament, plan: Schedule, stage: Stage) -> TournamentReport:
    """Write the report of a stage in TRF26; lines that begin with ### are comments.

    If pairings follow from results, a round is left out until all of its games are played.
    Raises ConfigError if the format has no room for the results.
    """
    file = tournament.file
    points = tournament.points
    if stage.format.is_ladder:
        raise ConfigError("--format trf: lists rounds, and a ladder has none; use --format csv or json")
    _check_points(points)
    bots = stage.entrants.bots
    if len(bots) > _MOST_BOTS:
        raise ConfigError(f"--format trf: has room for {_MOST_BOTS:,} bots, there are {len(bots):,}")
    open_round = _find_open_round(plan, stage)
    games = [game for game in plan.counted_games_in(stage) if open_round is None or game.round < open_round]
    byes = [bye for bye in plan.byes_in(stage) if open_round is None or bye.round < open_round]
    columns = _list_columns(games, byes)
    ranks = {one.bot: one.rank for one in stage.format.rank(stage.entrants, games, byes)}
    numbers = {bot: number for number, bot in enumerate(bots, start=1)}
    cells = {bot: [_find_cell(bot, games_, byes_) for _, games_, byes_ in columns] for bot in bots}
    # The points that a reader of the report gives each sign.
    signs = ("1+U", points.win), ("=DH", points.draw), ("0", points.loss), ("-Z", 0.0)
    worth = {sign: value for alike, value in signs for sign in alike}
    players: list[str] = []
    remarks: list[str] = []
    for entry in file.bots:
        if entry.name not in numbers:
            continue
        number = numbers[entry.name]
        row = cells[entry.name]
        total = sum(worth[cell.result] for cell in row if cell is not None)
        federation = entry.country if entry.country and len(entry.country) == len("NED") else ""
        players.append(
            f"001 {number:4d}      {entry.name[:_NAME_LENGTH]:{_NAME_LENGTH}} {entry.rating or '':>4} {federation:3} "
            f"{'':11} {'':10} {_write_points(total)} {ranks[entry.name]:4d}"
            + "".join(f"  {_write_cell(cell, numbers)}" for cell in row)
        )
        if len(entry.name) > _NAME_LENGTH:
            remarks.append(f"### name of {number:04d}: {entry.name}")
        remarks += [
            f"### points of {number:04d} in round {column:03d}: {cell.points:g} instead of {worth[cell.result]:g}, "
            f"{cell.why}"
            for column, cell in enumerate(row, start=1)
            if cell is not None and cell.points != worth[cell.result]
        ]
    order = sorted(players, key=lambda line: int(line[4:8]))
    head = _list_head(tournament, stage, columns)
    lines = [*head, *order, *remarks]
    return TournamentReport(
        text="".join(f"{line.rstrip()}\r\n" for line in lines),
        left_out=open_round,
        deviations=sum(line.startswith("### points") for line in remarks),
    )


# --- rounds ---------------------------------------------------------------------------------------

_Column = tuple[int, dict[str, StoredGame], dict[str, RoundBye]]
"""A round of the report: the round of the tournament, and the game or the bye of each bot."""


def _find_open_round(plan: Schedule, stage: Stage) -> int | None:
    """Return the number of the round that is in progress, if pairings follow from results."""
    if stage.format.count_rounds is None or not stage.rounds:
        return None
    number = stage.rounds[-1].fixtures.last_round
    played = sum(game.round == number for game in plan.games_in(stage))
    planned = sum(len(one.fixtures) for one in stage.rounds if one.fixtures.last_round == number)
    return number if played < planned else None


def _list_columns(games: Iterable[StoredGame], byes: Sequence[RoundBye]) -> list[_Column]:
    """Assign each game to the first round of the report in which neither of its bots has another one."""
    by_round: dict[int, list[dict[str, StoredGame]]] = {}
    for bye in byes:
        by_round.setdefault(bye.round, [])
    for game in games:
        slots = by_round.setdefault(game.round, [])
        slot = next((slot for slot in slots if game.red not in slot and game.blue not in slot), None)
        if slot is None:
            slot = {}
            slots.append(slot)
        slot |= {game.red: game, game.blue: game}
    columns: list[_Column] = []
    for number, slots in sorted(by_round.items()):
        idle = {bye.bot: bye for bye in byes if bye.round == number}
        count = max([len(slots), *(bye.games for bye in idle.values())])
        for place in range(count):
            present = {bot: bye for bot, bye in idle.items() if place < bye.games}
            columns.append((number, slots[place] if place < len(slots) else {}, present))
    return columns


def _find_cell(bot: str, games: dict[str, StoredGame], byes: dict[str, RoundBye]) -> _Cell | None:
    """Return the game or the bye of a bot in a round of the report; None for no game or an annulled one."""
    if (bye := byes.get(bot)) is not None:
        share = bye.share if bye.points else 0
        return _Cell(None, "-", _BYES[share], bye.points / bye.games, "a bye")
    game = games.get(bot)
    if game is None or game.ending == "annulled":
        return None
    seat: Seat = RED if game.red == bot else BLUE
    opponent, gained = (game.blue, game.red_points) if seat == RED else (game.red, game.blue_points)
    results = _PLAYED if game.took_place else _UNPLAYED
    return _Cell(opponent, _COLOURS[seat], results[score_game(game, bot)], gained, game.ending_words)


def _write_cell(cell: _Cell | None, numbers: dict[str, int]) -> str:
    if cell is None:
        return " " * 8
    return f"{numbers[cell.opponent] if cell.opponent else '0000':>4} {cell.colour} {cell.result}"


# --- points ---------------------------------------------------------------------------------------


def _check_points(points: Points) -> None:
    for worth in (points.win, points.draw, points.loss):
        if round(worth, 1) != worth:
            raise ConfigError(f"--format trf: has one decimal of points, and a result is worth {worth:g}")


def _write_points(points: float) -> str:
    """Write points in four characters.  Raises ConfigError if there is no room."""
    if points > _MOST_POINTS:
        raise ConfigError(f"--format trf: has room for {_MOST_POINTS:,} points, a bot has {points:,.0f}")
    text = f"{points:4.1f}"
    return text if len(text) == len("11.5") else f"{points:4.0f}"


# --- the head -------------------------------------------------------------------------------------


def _list_head(tournament: Tournament, stage: Stage, columns: Sequence[_Column]) -> Iterator[str]:
    """Yield the lines about the tournament."""
    file = tournament.file
    points = tournament.points
    entrants = stage.entrants
    rated = sum(bot.rating is not None for bot in file.bots if bot.name in entrants.bots)
    # The days on which the rounds of the report began, in UTC.
    days = [
        min((game.started[:10].replace("-", "/") for game in games.values()), default="") for _, games, _ in columns
    ]
    known = sorted(day for day in days if day)
    yield f"012 {file.name}"
    yield f"022 {file.event.place or ''}"
    yield f"042 {known[0] if known else ''}"
    yield f"052 {known[-1] if known else ''}"
    yield f"062 {len(entrants.bots)}"
    yield f"072 {rated}"
    yield f"092 Individual: {stage.format.name}, matches of {write_count(entrants.games, 'game')}"
    yield f"102 {file.event.organiser or ''}"
    yield f"122 {file.time.bank_s:g} s for all moves, {file.time.increment_s:g} s for each move"
    if columns:
        yield f"{'132':91}" + "  ".join(day[2:] if day else " " * 8 for day in days)
    planned = 0 if stage.format.count_rounds is None else stage.format.count_rounds(entrants) * entrants.games
    if planned or columns:
        yield f"142 {max(planned, len(columns))}"
    if not columns:
        yield "152 W"
    values = (points.win, points.draw, points.loss)
    if values != _USUAL:
        yield "162  " + "    ".join(f"{sign}{worth:4.1f}" for sign, worth in zip("WDL", values, strict=True))
    yield f"182 arbiter {__version__}"
    known_breaks = takewhile(_CODES.__contains__, entrants.tie_breaks)  # of FIDE, up to the first that has no code
    codes = [_CODES[name].format(cut=entrants.games, twice=2 * entrants.games) for name in known_breaks]
    if values == _USUAL and codes:
        yield f"212 {','.join(codes)}"
    yield "### Each round of this report is one game; red is white (w), blue is black (b)."
    numbers = [number for number, _, _ in columns]
    for number in dict.fromkeys(numbers):
        first = numbers.index(number) + 1
        yield f"### round {number}: rounds {first:03d} to {first + numbers.count(number) - 1:03d} of this report"
