"""Crosstable and other tables of who played whom, and statistics of games that affect no ranking."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final

from msgspec import Struct

from arbiter.games.base import Ending
from arbiter.tournament.fixture import Match, RoundBye
from arbiter.tournament.standings.opposition import Opposition
from arbiter.tournament.standings.stored_game import RuledGame, StoredGame, find_forfeiters
from protocol.words import RED, Seat

NO_RATINGS: Final[Mapping[str, int]] = {}

# --- tallies --------------------------------------------------------------------------------------


class Tally(Struct):
    """Games counted for one side. Each game is a win, a draw, a loss on the board or a forfeit of this side."""

    points: float = 0.0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    forfeits: int = 0
    ruled: int = 0
    """Games whose result is that of a ruling, annulled ones included."""

    @property
    def games(self) -> int:
        """The number of games."""
        return self.wins + self.draws + self.losses + self.forfeits

    @property
    def score(self) -> float:
        """The usual score: 1 for a win, a half for a draw."""
        return self.wins + self.draws / 2

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(
            round_points(self.points + other.points),
            self.wins + other.wins,
            self.draws + other.draws,
            self.losses + other.losses,
            self.forfeits + other.forfeits,
            self.ruled + other.ruled,
        )


class Crosstable(Struct, frozen=True, dict=True):
    """Tallies of pairings and of bots; `table[bot][opponent]` is a cell."""

    cells: dict[str, dict[str, Tally]]
    totals: dict[str, Tally]
    """Of each bot, with the points of its byes but without the games that these stand for."""
    games: tuple[StoredGame, ...]
    """The games of these bots, annulled ones included."""
    byes: tuple[RoundBye, ...] = ()
    total_rounds: int | None = None
    """Number of rounds of a Swiss tournament; None in other formats."""
    ratings: Mapping[str, int] = NO_RATINGS
    """Ratings that the bots had before the tournament, if they are known."""

    @cached_property
    def opposition(self) -> Opposition:
        """The rounds of each bot for tie-breaks by opponents."""
        return Opposition(tuple(self.cells), self.games, self.byes, self.total_rounds)

    def __getitem__(self, bot: str) -> dict[str, Tally]:
        return self.cells[bot]


def round_points(points: float) -> float:
    """Round points so that the same sum is equal in whatever order its parts were added."""
    return round(points, 6)


def build_crosstable(
    bots: Sequence[str],
    games: Iterable[StoredGame],
    byes: Iterable[RoundBye] = (),
    total_rounds: int | None = None,
    ratings: Mapping[str, int] = NO_RATINGS,
) -> Crosstable:
    """Count the games between every two bots. Annulled games and games of other bots do not count."""
    cells = {bot: {opponent: Tally() for opponent in bots if opponent != bot} for bot in bots}
    known = tuple(game for game in games if game.red in cells and game.blue in cells)
    games = [game for game in known if game.ending != "annulled"]
    results = Counter(
        (game.red, game.blue, game.winner, game.ending, game.red_points, game.blue_points) for game in games
    )
    for (red, blue, winner, ending, red_points, blue_points), count in results.items():
        cells[red][blue] += tally_game("red", winner, ending, red_points, count)
        cells[blue][red] += tally_game("blue", winner, ending, blue_points, count)
    for game in (game for game in known if isinstance(game, RuledGame)):
        cells[game.red][game.blue] += Tally(ruled=1)
        cells[game.blue][game.red] += Tally(ruled=1)
    totals = {bot: sum(row.values(), Tally()) for bot, row in cells.items()}
    byes = tuple(bye for bye in byes if bye.bot in cells)
    for bye in byes:
        totals[bye.bot] += Tally(bye.points)
    return Crosstable(cells, totals, known, byes, total_rounds, ratings)


class OpponentScore(Struct, frozen=True):
    """The score of a bot against one opponent, by its colour."""

    bot: str
    opponent: str | None
    """None: all opponents."""
    red: Tally
    blue: Tally

    @property
    def both(self) -> Tally:
        """The games with both colours."""
        return self.red + self.blue


def score_by_colour(bot: str, bots: Sequence[str], games: Sequence[StoredGame]) -> tuple[OpponentScore, ...]:
    """Count the games of a bot against each opponent that it has met, by its colour."""
    red = build_crosstable(bots, [game for game in games if game.red == bot])[bot]
    blue = build_crosstable(bots, [game for game in games if game.blue == bot])[bot]
    scores = (OpponentScore(bot, other, red[other], blue[other]) for other in red)
    return tuple(score for score in scores if score.both.games)


def tally_game(seat: Seat, winner: Seat | None, ending: Ending, points: float, count: int = 1) -> Tally:
    """Make the tally of one seat in `count` games with the same result."""
    total = round_points(points * count)
    if seat == winner:
        return Tally(total, wins=count)
    if seat in find_forfeiters(winner, ending):
        return Tally(total, forfeits=count)
    is_lost = winner is not None or ending == "double_loss"
    return Tally(total, losses=count) if is_lost else Tally(total, draws=count)


# --- statistics of games --------------------------------------------------------------------------


class Effort(Struct):
    """Length of a bot's games and its time used in them."""

    games: int = 0
    """Games played; walkovers and voided games do not count."""
    plies: int = 0
    """Plies of all its games together, those of the opponents included."""
    ms: float = 0.0
    """Time charged to its clock in all its games."""

    @property
    def mean_plies(self) -> float | None:
        """The mean length of a game in plies; None before the first game."""
        return round(self.plies / self.games, 1) if self.games else None

    @property
    def mean_seconds(self) -> float | None:
        """The mean time used in a game; None if it is not known."""
        return round(self.ms / self.games / 1000, 3) if self.games and self.ms else None

    @property
    def mean_move_ms(self) -> float | None:
        """The mean time of one of its moves in milliseconds, deployments included; None if it is not known."""
        return round(2 * self.ms / self.plies, 2) if self.plies and self.ms else None


def sum_effort(games: Iterable[StoredGame]) -> dict[str, Effort]:
    """Add up length and time of each bot's games, without walkovers and voided games."""
    found: dict[str, Effort] = {}
    for game in games:
        if game.was_played:
            for bot, ms in ((game.red, game.red_ms), (game.blue, game.blue_ms)):
                effort = found.setdefault(bot, Effort())
                effort.games += 1
                effort.plies += game.plies
                effort.ms += ms
    return found


def count_forfeit_causes(games: Iterable[StoredGame]) -> dict[str, Counter[Ending]]:
    """Count each bot's forfeits by ending."""
    causes: dict[str, Counter[Ending]] = {}
    results = Counter((game.red, game.blue, game.winner, game.ending) for game in games)
    for (red, blue, winner, ending), count in results.items():
        for seat in find_forfeiters(winner, ending):
            causes.setdefault(red if seat == RED else blue, Counter())[ending] += count
    return causes


class Repeats(Struct, frozen=True):
    """Repeated games of a pairing. Deterministic bots may replay the same game, which proves nothing new."""

    one: str
    two: str
    games: int
    """Games of the two bots, whatever their colours."""
    repeated: int
    """Games among them that are identical to an earlier one."""


def count_repeats(games: Iterable[StoredGame]) -> tuple[Repeats, ...]:
    """Count games with the same actions as an earlier game of the pairing; leave out pairings without any."""
    fingerprints: dict[tuple[str, str], list[str]] = {}
    for game in games:
        if game.fingerprint and game.was_played:
            fingerprints.setdefault((min(game.red, game.blue), max(game.red, game.blue)), []).append(game.fingerprint)
    return tuple(
        Repeats(*pairing, len(played), len(played) - len(set(played)))
        for pairing, played in sorted(fingerprints.items())
        if len(set(played)) < len(played)
    )


# --- tables of who played whom --------------------------------------------------------------------


class RoundsTable(Struct, frozen=True):
    """The opponent of each bot in each round."""

    games: tuple[StoredGame, ...]
    byes: tuple[RoundBye, ...]


class Bracket(Struct, frozen=True):
    """The matches of a knockout, round by round."""

    matches: tuple[Match, ...]


class PlainTable(Struct, frozen=True):
    """A table of a format that needs a table of its own."""

    title: str
    columns: tuple[str, ...]
    """Names of the columns; cells of a column `bot` are names of bots."""
    rows: tuple[tuple[str | float | None, ...], ...]
    notes: tuple[str, ...] = ()
    """Sentences below it."""


Detail = Crosstable | RoundsTable | Bracket | PlainTable
