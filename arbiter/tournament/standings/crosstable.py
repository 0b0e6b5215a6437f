"""What each bot made of its games against each other bot."""

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct

from arbiter.games.base import Ending
from arbiter.tournament.fixture import Bye
from arbiter.tournament.standings.stored_game import StoredGame, forfeiters
from protocol.words import RED, Seat


class Tally(Struct):
    """Games counted for one side: every game is a win, a draw, a loss over the board or a forfeit of one's own."""

    points: float = 0.0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    forfeits: int = 0

    @property
    def games(self) -> int:
        """Count the games."""
        return self.wins + self.draws + self.losses + self.forfeits

    @property
    def score(self) -> float:
        """Score the games the plain way: a win 1, a draw a half."""
        return self.wins + self.draws / 2

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(
            settled(self.points + other.points),
            self.wins + other.wins,
            self.draws + other.draws,
            self.losses + other.losses,
            self.forfeits + other.forfeits,
        )


class Crosstable(Struct, frozen=True):
    """A tally for each ordered pair of bots, and each bot's total: `table[bot][opponent]`, `table.totals[bot]`.

    `met[bot][opponent]` counts the rounds in which the two met, which may be several games each.
    `byes` are the rounds that bots sat out; the points for them are in the totals, the games they stand for are not.
    """

    cells: dict[str, dict[str, Tally]]
    totals: dict[str, Tally]
    met: dict[str, Counter[str]]
    byes: tuple[Bye, ...] = ()

    def __getitem__(self, bot: str) -> dict[str, Tally]:
        return self.cells[bot]


def settled(points: float) -> float:
    """Round off what adding tenths in another order would change, so that equal is equal."""
    return round(points, 6)


def crosstable(bots: Sequence[str], games: Iterable[StoredGame], byes: Iterable[Bye] = ()) -> Crosstable:
    """Count the games of each ordered pair of bots; void games do not count, nor do those of bots not listed."""
    cells = {bot: {opponent: Tally() for opponent in bots if opponent != bot} for bot in bots}
    games = [game for game in games if game.ending != "void" and game.red in cells and game.blue in cells]
    alike = Counter(
        (game.red, game.blue, game.winner, game.ending, game.red_points, game.blue_points) for game in games
    )
    for (red, blue, winner, ending, red_points, blue_points), times in alike.items():
        cells[red][blue] += _tally("red", winner, ending, red_points, times)
        cells[blue][red] += _tally("blue", winner, ending, blue_points, times)
    totals = {bot: sum(row.values(), Tally()) for bot, row in cells.items()}
    sat_out = tuple(bye for bye in byes if bye.bot in cells)
    for bye in sat_out:
        totals[bye.bot] += Tally(bye.points)
    return Crosstable(cells, totals, _meetings(bots, games), sat_out)


def _meetings(bots: Iterable[str], games: Iterable[StoredGame]) -> dict[str, Counter[str]]:
    met: dict[str, Counter[str]] = {bot: Counter() for bot in bots}
    once = {(*((game.red, game.blue) if game.red < game.blue else (game.blue, game.red)), game.round) for game in games}
    for one, two, _ in once:
        met[one][two] += 1
        met[two][one] += 1
    return met


def _tally(seat: Seat, winner: Seat | None, ending: Ending, points: float, times: int) -> Tally:
    total = settled(points * times)
    if seat == winner:
        return Tally(total, wins=times)
    if seat in forfeiters(winner, ending):
        return Tally(total, forfeits=times)
    return Tally(total, losses=times) if winner else Tally(total, draws=times)


def forfeit_causes(games: Iterable[StoredGame]) -> dict[str, Counter[Ending]]:
    """Count each bot's forfeits by what it forfeited for."""
    causes: dict[str, Counter[Ending]] = {}
    alike = Counter((game.red, game.blue, game.winner, game.ending) for game in games)
    for (red, blue, winner, ending), times in alike.items():
        for seat in forfeiters(winner, ending):
            causes.setdefault(red if seat == RED else blue, Counter())[ending] += times
    return causes
