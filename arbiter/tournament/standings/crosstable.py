"""Crosstable and other tables of who played whom, and statistics of games that affect no ranking."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from operator import add

from msgspec import Struct
from msgspec.structs import astuple

from arbiter.games.base import Ending
from arbiter.tournament.fixture import Match, RoundBye
from arbiter.tournament.standings.stored_game import RuledGame, StoredGame, find_forfeiters
from protocol.words import BLUE, RED, Seat


class BotRound(Struct, frozen=True, gc=False):
    """A round of a bot."""

    number: int
    opponent: str | None
    """The opponent that it met or should have met; None for a bye, and if all of its games are annulled."""
    score: float
    """The usual score: 1 for each win, a half for each draw."""
    games: int
    is_played: bool = True
    is_requested: bool = False
    """True if the bot was not paired, as it announced or because it had left."""
    is_voluntary: bool = False
    """True for a requested bye and a round lost by walkover (16.1.2)."""


class Contribution(Struct, frozen=True, gc=False):
    """The part of a tie-break by opponents that comes from one round."""

    value: float
    """Score of the opponent."""
    score: float
    """Score of the bot in the round."""
    is_voluntary: bool


class Opposition:
    """The rounds of all bots, and what they add to the tie-breaks.

    With `total_rounds`, the number of rounds of a Swiss tournament, unplayed rounds follow article 16.  In other
    formats walkovers count as if they had been played (15.1).
    """

    def __init__(
        self,
        bots: Sequence[str],
        games: Iterable[StoredGame],
        byes: Iterable[RoundBye],
        total_rounds: int | None,
    ) -> None:
        self._total_rounds = total_rounds
        self._rounds = _list_rounds(bots, tuple(games), tuple(byes), is_swiss=total_rounds is not None)
        self._scores = {bot: sum(one.score for one in rounds) for bot, rounds in self._rounds.items()}
        self._adjusted = {bot: _adjust_score(rounds) for bot, rounds in self._rounds.items()}

    def list_contributions(self, bot: str) -> Iterator[Contribution]:
        """Yield what each round of a bot adds to its tie-breaks.

        An unplayed round counts as one against an opponent with the bot's own score, but with no more than the score of
        the opponent that it should have met (16.4.1), or that of draws in all rounds (16.4.2).
        """
        for one in self._rounds[bot]:
            value = self._scores[bot] if one.opponent is None else self._adjusted[one.opponent]
            if not one.is_played and one.opponent is not None:
                value = min(value, self._scores[bot])
            elif not one.is_played and self._total_rounds is not None:
                value = min(value, self._total_rounds * one.games / 2)
            yield Contribution(value, one.score, one.is_voluntary)


def _adjust_score(rounds: Sequence[BotRound]) -> float:
    """Return a bot's score as it counts for its opponents: requested byes at the end are draws (16.3.2)."""
    score = 0.0
    is_end = True
    for one in reversed(rounds):
        score += one.games / 2 if one.is_requested and is_end else one.score
        is_end = is_end and one.is_voluntary
    return score


class _Meeting(Struct, gc=False):
    """The games of a bot against an opponent in a round, without annulled ones."""

    games: int = 0
    score: float = 0.0
    took_place: bool = False
    """True if one of them took place."""
    is_forfeited: bool = True
    """True if the bot forfeited all of them."""


def _list_rounds(
    bots: Sequence[str], games: Sequence[StoredGame], byes: Sequence[RoundBye], *, is_swiss: bool
) -> Mapping[str, Sequence[BotRound]]:
    """List the rounds of each bot, the first one first."""
    rounds: dict[str, list[BotRound]] = {bot: [] for bot in bots}
    meetings: dict[tuple[str, int, str], _Meeting] = {}
    annulled: Counter[tuple[str, int]] = Counter()
    for game in games:
        if game.ending == "void":
            annulled.update([(game.red, game.round), (game.blue, game.round)])
        else:
            forfeiters = find_forfeiters(game.winner, game.ending)
            is_drawn = game.winner is None and not forfeiters and game.ending != "double_loss"
            for seat, bot, opponent in ((RED, game.red, game.blue), (BLUE, game.blue, game.red)):
                meeting = meetings.setdefault((bot, game.round, opponent), _Meeting())
                meeting.games += 1
                meeting.score += 0.5 if is_drawn else float(game.winner == seat)
                meeting.took_place = meeting.took_place or game.took_place
                meeting.is_forfeited = meeting.is_forfeited and seat in forfeiters
    for (bot, number, opponent), meeting in meetings.items():
        is_played = not is_swiss or meeting.took_place
        is_voluntary = meeting.is_forfeited and not is_played
        rounds[bot].append(
            BotRound(number, opponent, meeting.score, meeting.games, is_played=is_played, is_voluntary=is_voluntary)
        )
    if annulled:
        for bot, number in annulled.keys() - {(bot, number) for bot, number, _ in meetings}:
            rounds[bot].append(BotRound(number, None, 0.0, annulled[bot, number], is_played=False))
    for bye in byes:
        score = bye.games * bye.share if bye.points else 0.0
        asked = bye.requested
        rounds[bye.bot].append(
            BotRound(bye.round, None, score, bye.games, is_played=False, is_requested=asked, is_voluntary=asked)
        )
    last = max((one.number for own in rounds.values() for one in own), default=0)
    for own in rounds.values():
        own.sort(key=lambda one: one.number)
        if is_swiss and own and own[-1].opponent is not None and own[-1].is_voluntary:
            # After a round lost by walkover, a bot is not paired any more: those rounds are requested byes.
            own += [
                BotRound(number, None, 0.0, own[-1].games, is_played=False, is_requested=True, is_voluntary=True)
                for number in range(own[-1].number + 1, last + 1)
            ]
    return rounds


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
        points, *counts = map(add, astuple(self), astuple(other))
        return Tally(round_points(points), *counts)


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
) -> Crosstable:
    """Count the games between every two bots. Annulled games and games of other bots do not count."""
    cells = {bot: {opponent: Tally() for opponent in bots if opponent != bot} for bot in bots}
    known = tuple(game for game in games if game.red in cells and game.blue in cells)
    games = [game for game in known if game.ending != "void"]
    results = Counter(
        (game.red, game.blue, game.winner, game.ending, game.red_points, game.blue_points) for game in games
    )
    for (red, blue, winner, ending, red_points, blue_points), count in results.items():
        cells[red][blue] += _tally("red", winner, ending, red_points, count)
        cells[blue][red] += _tally("blue", winner, ending, blue_points, count)
    for game in (game for game in known if isinstance(game, RuledGame)):
        cells[game.red][game.blue] += Tally(ruled=1)
        cells[game.blue][game.red] += Tally(ruled=1)
    totals = {bot: sum(row.values(), Tally()) for bot, row in cells.items()}
    byes = tuple(bye for bye in byes if bye.bot in cells)
    for bye in byes:
        totals[bye.bot] += Tally(bye.points)
    return Crosstable(cells, totals, known, byes, total_rounds)


def _tally(seat: Seat, winner: Seat | None, ending: Ending, points: float, count: int) -> Tally:
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


Detail = Crosstable | RoundsTable | Bracket | PlainTable
