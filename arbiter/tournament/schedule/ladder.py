"""Ladder: pairs of games without rounds, chosen one at a time until the ladder is stopped.

The next pair follows from the secret of the event, the stored games, the pairs in progress and the bots that can play
now, so a ladder that was stopped continues as if it had not been.  A slow bot holds up no other one, because no pair
waits for another pair.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import combinations
from math import ceil
from statistics import NormalDist
from typing import Annotated, Final

from msgspec import Meta, field
from msgspec.structs import replace

from arbiter.errors import ConfigError, unknown_name
from arbiter.games.chance import derive_seed
from arbiter.tournament.fixture import Fixture, Meeting, OpenFixtures, Round, RoundBye, make_pair
from arbiter.tournament.ratings.pairs import pair_games
from arbiter.tournament.schedule.allocation import ELO_UNIT, Knowledge
from arbiter.tournament.schedule.evidence import Pairing, PairingCount, PairingCounter, count_pairings
from arbiter.tournament.schedule.format import Entrants, Format, Settings
from arbiter.tournament.standings.crosstable import PlainTable
from arbiter.tournament.standings.stored_game import StoredGame
from arbiter.tournament.standings.table import Standing
from protocol.words import SEATS

_PAIR: Final = len(SEATS)
_TURN: Final = 10  # one pair in so many is of the bots that played least recently
_WAITING: Final = 0.5  # weight of the time since both bots played last, in units of the mean time between two pairs
_REPEATS: Final = 0.25  # weight of the pairs of a pairing so far, in units of an even share
_INACTIVE: Final = 10  # pairs for each bot of the ladder; a bot that can play has its turn before
_INTERVAL: Final = NormalDist().inv_cdf(0.975)
_DIGITS: Final = 9  # of values that are compared


class LadderSettings(Settings, frozen=True, kw_only=True):
    """Settings of a ladder."""

    until: Annotated[datetime, Meta(description="a date and a time without quotes, as in 2026-12-05T19:00")] | None = (
        None
    )
    """Date and time after which no pair of games begins, as in `2026-12-24T18:00`.  Default: none: it is stopped."""
    anchors: list[str] = field(default_factory=list)
    """Names of bots that do not meet each other: the other bots are measured against them.  Default: none."""
    max_games: Annotated[int, Meta(ge=2, multiple_of=2, description="an even number of at least 2")] | None = None
    """Games of all bots together at most, an even number.  Default: no limit."""


_Entrants = Entrants[LadderSettings]


def _check(entrants: _Entrants) -> None:
    if entrants.games != _PAIR:
        raise ConfigError(f"games: is {entrants.games}, but a ladder decides itself who meets how often; leave it out")
    for name in entrants.settings.anchors:
        if name not in entrants.bots:
            raise ConfigError(f"anchors: {unknown_name('bot', name, entrants.bots)}")


class Ladder:
    """The pairs of games of a ladder so far, and the choice of the next one."""

    def __init__(self, entrants: _Entrants) -> None:
        self.fixtures = OpenFixtures([], stage=entrants.stage, places={})
        self.walkovers: list[StoredGame] = []
        """The games that a bot lost because it was absent."""
        self._entrants = entrants
        self._seeds = {bot: number for number, bot in enumerate(entrants.bots)}
        self._number = 0  # of the last pair
        self._last = dict.fromkeys(entrants.bots, 0)  # number of the last pair of each bot
        self._pairs = dict.fromkeys(entrants.bots, 0)  # number of pairs of each bot
        self._in_progress: dict[tuple[Pairing, int], list[StoredGame]] = {}  # their finished games, by pair
        self._forfeiters: set[str] = set()  # bots that forfeited their last game
        self._counter = PairingCounter(entrants.bots)
        self._known: Knowledge | None = None

    @property
    def is_over(self) -> bool:
        """True if no new pair begins."""
        settings = self._entrants.settings
        is_full = settings.max_games is not None and len(self.fixtures) >= settings.max_games
        return is_full or (settings.until is not None and datetime.now(UTC) >= settings.until.astimezone(UTC))

    def restore(self, games: Iterable[Fixture | StoredGame]) -> None:
        """Add the pairs of games that were chosen before, some of whose games may be missing."""
        known = {(self._order(game.red, game.blue), game.pair): game.round for game in games}
        for (pairing, _), number in sorted(known.items(), key=lambda item: (item[1], item[0])):
            self._append(pairing, number)

    def add(self, game: StoredGame) -> None:
        """Add a finished game of one of the pairs."""
        pairing = self._order(game.red, game.blue)
        if game.ending == "walkover":
            self.walkovers.append(game)
        elif game.was_played:
            self._forfeiters -= {game.red, game.blue}
            self._forfeiters |= set(game.forfeiters)
        finished = self._in_progress.get((pairing, game.pair))
        if finished is None:
            return
        finished.append(game)
        if len(finished) == _PAIR:
            del self._in_progress[pairing, game.pair]
            for pair in pair_games(finished):
                self._counter.add(pair)
            self._known = None

    def choose(self, gone: Collection[str]) -> Iterator[Fixture] | None:
        """Choose the next pair, without bots that left or cannot begin; None if all other pairings are in progress."""
        in_progress = {pairing for pairing, _ in self._in_progress}
        present = [bot for bot in self._entrants.bots if bot not in gone]
        anchors = set(self._entrants.settings.anchors)
        pairings = [
            pairing
            for pairing in combinations(present, 2)
            if pairing not in in_progress and not anchors.issuperset(pairing)
        ]
        if not pairings:
            return None
        number = self._number + 1
        lot = derive_seed(self._entrants.seed, "ladder", self._entrants.stage, number)
        start = lot % len(pairings)  # among equals, the first one from a random place on
        pairings = pairings[start:] + pairings[:start]
        if number % _TURN == 0:
            chosen = min(pairings, key=lambda pairing: sorted(self._last[bot] for bot in pairing))
        else:
            rested = [pairing for pairing in pairings if all(self._is_rested(bot, len(present)) for bot in pairing)]
            gains = {pairing: self._judge_gain(pairing) for pairing in rested or pairings}
            most = max(gains.values()) or 1.0
            chosen = max(gains, key=lambda pairing: round(gains[pairing] / most + self._judge_turn(pairing), _DIGITS))
        meeting = self._append(chosen, number)
        return make_pair(*chosen, meeting.first_pair, number, self.fixtures.stage)

    def _order(self, one: str, two: str) -> Pairing:
        return (one, two) if self._seeds[one] < self._seeds[two] else (two, one)

    def _append(self, pairing: Pairing, number: int) -> Meeting:
        pair = len(self.fixtures.places.get(pairing, ())) + 1
        meeting = Meeting(*pairing, number, pair)
        self.fixtures.append(meeting)
        self._in_progress[pairing, pair] = []
        for bot in pairing:
            self._last[bot] = number
            self._pairs[bot] += 1
        self._number = number
        return meeting

    def _is_rested(self, bot: str, bots: int) -> bool:
        """Return True unless a bot forfeited its last game and has waited less than bots do on average."""
        return bot not in self._forfeiters or self._number + 1 - self._last[bot] >= bots / _PAIR

    def _judge_gain(self, pairing: Pairing) -> float:
        if self._known is None:
            self._known = _know(self._entrants, self._counter.counts)
        return self._known.judge_gain(*(self._seeds[bot] for bot in pairing))

    def _judge_turn(self, pairing: Pairing) -> float:
        """Weigh how long the bots of a pairing have waited against how often they met."""
        bots = len(self._entrants.bots)
        waited = sum(self._number + 1 - self._last[bot] for bot in pairing) / bots
        even = sum(self._pairs[bot] for bot in pairing) / 2 / (bots - 1)
        met = len(self.fixtures.places.get(pairing, ()))
        return _WAITING * waited - (_REPEATS * met / even if even else 0.0)


def _know(entrants: _Entrants, counts: Mapping[Pairing, PairingCount]) -> Knowledge:
    return Knowledge(entrants.bots, counts, {}, 0.0, entrants.parents)


# --- standings ------------------------------------------------------------------------------------


def rank(entrants: _Entrants, games: Iterable[StoredGame], byes: Sequence[RoundBye]) -> tuple[Standing, ...]:
    """Rank the bots by the expected score against all others, each counted equally; bots without games come last.

    Points do not count: some bots play more games than others, and against stronger opponents.
    """
    games = tuple(games)
    known = _know(entrants, count_pairings(entrants.bots, games))
    rates = {bot: round(100 * known.expect_rate(place), 1) for place, bot in enumerate(entrants.bots)}
    found = sorted(entrants.rank(games, byes, ("average",)), key=lambda one: (not one.games, -rates[one.bot]))
    return tuple(
        replace(one, rank=place, tie_breaks={**one.tie_breaks, "rate": rates[one.bot]}, decided_by="rate")
        for place, one in enumerate(found, start=1)
    )


def tabulate(
    entrants: _Entrants, order: Sequence[str], games: Sequence[StoredGame], _byes: Sequence[RoundBye]
) -> PlainTable:
    """Make the table of the activity of each bot in the given order, and of versions compared with their parents."""
    last = dict.fromkeys(order, 0)
    played = dict.fromkeys(order, 0)
    opponents: dict[str, set[str]] = {bot: set() for bot in order}
    for game in games:
        for bot, other in ((game.red, game.blue), (game.blue, game.red)):
            played[bot] += 1
            last[bot] = max(last[bot], game.round)
            opponents[bot].add(other)
    oldest = max(last.values(), default=0) - _INACTIVE * len(order)
    known = _know(entrants, count_pairings(entrants.bots, games))
    rows: list[tuple[str | float | None, ...]] = []
    for bot in order:
        state = "anchor" if bot in entrants.settings.anchors else ""
        if last[bot] <= oldest:
            state = "inactive"
        parent = entrants.parents.get(bot)
        compared = (None, None, None) if parent is None else _compare_with_parent(known, bot, parent)
        rows.append((bot, played[bot], len(opponents[bot]), last[bot] or None, state, parent, *compared))
    columns: tuple[str, ...] = ("bot", "games", "opponents", "last pair", "state")
    notes = [
        "Pairs of games are numbered in the order in which they were chosen. Repeated games count once.",
        f"Inactive: none of the last {_INACTIVE * len(order)} pairs.",
    ]
    if not entrants.parents:
        return PlainTable("Ladder: bots", columns, tuple(row[: len(columns)] for row in rows), tuple(notes))
    notes.append(
        "Elo: difference to the parent, with the 95 % interval. Needed: games against the parent until the interval is "
        "on one side of 0, if the difference stays the same."
    )
    columns += ("parent", "Elo", "+/-", "needed")
    return PlainTable("Ladder: bots and versions", columns, tuple(rows), tuple(notes))


def _compare_with_parent(known: Knowledge, bot: str, parent: str) -> tuple[int, int, int | None]:
    """Return the difference to the parent and half of its 95 % interval in Elo, and the games that are needed.

    The number of games is None if the bots are about equal.
    """
    elo, deviation = known.compare(known.bots.index(bot), known.bots.index(parent))
    if abs(elo) < 1:
        return round(elo), round(_INTERVAL * deviation), None
    share = 1 / (1 + 10 ** (-elo / 400))
    information = share * (1 - share) / ELO_UNIT**2  # of a game
    wanted = (_INTERVAL / elo) ** 2 - 1 / deviation**2
    return round(elo), round(_INTERVAL * deviation), _PAIR * ceil(max(0.0, wanted / information) / _PAIR)


LADDER: Final = Format(
    name="ladder",
    pairings=(
        "without rounds: the next pair of games is the one that shows most about the order of the bots, until the "
        "ladder is stopped"
    ),
    settings=LadderSettings,
    check=_check,
    next_round=lambda _entrants, _rounds, _games: Round(),
    open=Ladder,
    least=lambda entrants: entrants.settings.max_games or 0,
    rank=rank,
    tabulate=tabulate,
    takes_versions=True,
    admits_remote=True,
)
