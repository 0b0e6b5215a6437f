"""Ladder: pairs of games without rounds, chosen one at a time until the ladder is stopped.

The next pair follows from the secret of the event, the stored games, the pairs in progress and the bots that can play
now, so a ladder that was stopped continues as if it had not been.  A slow bot holds up no other one, because no pair
waits for another pair.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import combinations
from typing import Annotated, Final

from msgspec import Meta, field, msgpack

from arbiter.errors import ConfigError, unknown_name
from arbiter.games.chance import derive_seed
from arbiter.tournament.fixture import Fixture, Meeting, OpenFixtures, Round, RoundBye, make_pair
from arbiter.tournament.ratings.pairs import pair_games
from arbiter.tournament.ratings.values import Ratings
from arbiter.tournament.schedule.format import Entrants, Format, FormatSettings
from arbiter.tournament.schedule.ladder_state import BotCount, LadderState
from arbiter.tournament.schedule.ladder_table import make_ladder_table, make_ratings, rank_by_rate
from arbiter.tournament.schedule.pairing_counts import Pairing, PairingCounter
from arbiter.tournament.schedule.strengths import KnownStrengths
from arbiter.tournament.standings.crosstable import PlainTable
from arbiter.tournament.standings.history import SavedLadder
from arbiter.tournament.standings.stored_game import StoredGame
from arbiter.tournament.standings.table import Standing
from protocol.words import SEATS

_PAIR: Final = len(SEATS)
_TURN: Final = 10  # one pair in so many is of the bots that played least recently
_WAITING: Final = 0.5  # weight of the time since both bots played last, in units of the mean time between two pairs
_REPEATS: Final = 0.25  # weight of the pairs of a pairing so far, in units of an even share
_DIGITS: Final = 9  # of values that are compared


class LadderSettings(FormatSettings, frozen=True, kw_only=True):
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

    def __init__(self, entrants: _Entrants, saved: SavedLadder | None = None) -> None:
        """Continue after the games of a `saved` ladder."""
        self._entrants = entrants
        self._seeds = {bot: number for number, bot in enumerate(entrants.bots)}
        state = self._state = LadderState() if saved is None else msgpack.decode(saved.state, type=LadderState)
        for bot in entrants.bots:
            state.bots.setdefault(bot, BotCount())
        self.fixtures = OpenFixtures([], stage=entrants.stage, counts=state.pairs)
        self._in_progress = state.in_progress
        digests = () if saved is None else saved.digests
        self._counter = PairingCounter(entrants.bots, state.counted, digests)
        self._known: KnownStrengths | None = None

    def fits(self, saved: SavedLadder) -> bool:
        """Return True if the bots of a saved ladder are among the entrants, in the same order."""
        seeds = self._seeds
        state = msgpack.decode(saved.state, type=LadderState)
        is_ordered = seeds.keys() >= state.bots.keys() and all(seeds[one] < seeds[two] for one, two in state.pairs)
        return is_ordered and state.numbers.keys() == state.in_progress.keys()

    def save(self) -> SavedLadder:
        """Return what a ladder needs to continue after the games of this one."""
        self._state.counted = self._counter.save()
        return SavedLadder(msgpack.encode(self._state), self._counter.distinct.digests.save())

    @property
    def state(self) -> LadderState:
        """The state after the finished games."""
        return self._state

    @property
    def walkovers(self) -> Sequence[StoredGame]:
        """The games that a bot lost because it was absent."""
        return self._state.walkovers

    @property
    def knowledge(self) -> KnownStrengths:
        """The strengths by the finished pairs."""
        if self._known is None:
            entrants = self._entrants
            self._known = KnownStrengths(entrants.bots, self._counter.counts, entrants.parents, entrants.people)
        return self._known

    @property
    def is_over(self) -> bool:
        """True if no new pair begins."""
        settings = self._entrants.settings
        is_full = settings.max_games is not None and len(self.fixtures) >= settings.max_games
        return is_full or (settings.until is not None and datetime.now(UTC) >= settings.until.astimezone(UTC))

    def restore(self, games: Iterable[Fixture | StoredGame]) -> None:
        """Add the pairs of games that were chosen before, some of whose games may be missing."""
        known = {(self._order(game.red, game.blue), game.pair): game.round for game in games}
        for (pairing, pair), number in sorted(known.items(), key=lambda item: (item[1], item[0])):
            if pair > self._state.pairs.get(pairing, 0):
                self._append(pairing, number)

    def awaits(self, game: StoredGame) -> bool:
        """Return True for a game of a pair in progress that is not finished yet."""
        finished = self._in_progress.get((self._order(game.red, game.blue), game.pair))
        return finished is not None and all(one.red != game.red for one in finished)

    def list_open(self) -> Iterator[Fixture]:
        """Yield the games of the pairs in progress that are not finished."""
        numbers = self._state.numbers
        for (pairing, pair), finished in sorted(self._in_progress.items(), key=lambda item: numbers[item[0]]):
            done = {game.red for game in finished}
            for fixture in make_pair(*pairing, pair, numbers[pairing, pair], self.fixtures.stage):
                if fixture.red not in done:
                    yield fixture

    def add(self, game: StoredGame) -> None:
        """Add a finished game of one of the pairs."""
        pairing = self._order(game.red, game.blue)
        self._state.count_game(game)
        finished = self._in_progress[pairing, game.pair]
        finished.append(game)
        if len(finished) == _PAIR:
            del self._in_progress[pairing, game.pair]
            del self._state.numbers[pairing, game.pair]
            for pair in pair_games(finished):
                self._counter.add(pair)
            self._state.counted_pairs += 1
            self._known = None
            if self._state.counted_pairs % self._state.interval == 0:
                self._state.keep_ratings(game.started, self.rate())

    def rate(self) -> dict[str, tuple[float, float]]:
        """Rate the bots that have played, relative to their mean, each with its deviation."""
        played = {bot for pairing in self._counter.counts for bot in pairing}
        known = self.knowledge
        return {bot: known.rate(place) for place, bot in enumerate(known.bots) if bot in played}

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
        bots = self._state.bots
        number = self._state.number + 1
        lot = derive_seed(self._entrants.seed, "ladder", self._entrants.stage, number)
        start = lot % len(pairings)  # among equals, the first one from a random place on
        pairings = pairings[start:] + pairings[:start]
        if number % _TURN == 0:
            chosen = min(pairings, key=lambda pairing: sorted(bots[bot].last for bot in pairing))
        else:
            # A bot that forfeited its last game waits as long as bots do on average.
            pause = len(present) / _PAIR
            tired = {bot for bot in present if bots[bot].has_forfeited and number - bots[bot].last < pause}
            rested = [pairing for pairing in pairings if tired.isdisjoint(pairing)]
            seeds = self._seeds
            gains = {(one, two): self.knowledge.judge_gain(seeds[one], seeds[two]) for one, two in rested or pairings}
            most = max(gains.values()) or 1.0
            chosen = max(gains, key=lambda pairing: round(gains[pairing] / most + self._judge_turn(pairing), _DIGITS))
        meeting = self._append(chosen, number)
        return make_pair(*chosen, meeting.first_pair, number, self.fixtures.stage)

    def _order(self, one: str, two: str) -> Pairing:
        return (one, two) if self._seeds[one] < self._seeds[two] else (two, one)

    def _append(self, pairing: Pairing, number: int) -> Meeting:
        pair = self._state.pairs.get(pairing, 0) + 1
        meeting = Meeting(*pairing, number, pair)
        self.fixtures.append(meeting)
        self._in_progress[pairing, pair] = []
        self._state.numbers[pairing, pair] = number
        for bot in pairing:
            count = self._state.bots[bot]
            count.last = max(count.last, number)
            count.pairs += 1
        self._state.number = max(self._state.number, number)
        return meeting

    def _judge_turn(self, pairing: Pairing) -> float:
        """Weigh how long the bots of a pairing have waited against how often they met."""
        counts = self._state.bots
        bots = len(self._entrants.bots)
        waited = sum(self._state.number + 1 - counts[bot].last for bot in pairing) / bots
        even = sum(counts[bot].pairs for bot in pairing) / 2 / (bots - 1)
        met = self._state.pairs.get(pairing, 0)
        return _WAITING * waited - (_REPEATS * met / even if even else 0.0)

    # --- standings --------------------------------------------------------------------------------

    def rank(self) -> tuple[Standing, ...]:
        """Rank the bots by the expected score against all others."""
        return rank_by_rate(self._state, self.knowledge)

    def tabulate(self, order: Sequence[str]) -> PlainTable:
        """Make the table of rating and activity of each bot in an order, and of versions compared with parents."""
        return make_ladder_table(self._state, self.knowledge, order, self._entrants.settings.anchors)

    def rate_bots(self) -> Ratings:
        """Rate the bots that have played, with intervals."""
        return make_ratings(self._state, self.knowledge)


def rank(entrants: _Entrants, games: Iterable[StoredGame], _byes: Sequence[RoundBye]) -> tuple[Standing, ...]:
    """Rank the bots by some games."""
    games = tuple(games)
    ladder = Ladder(entrants)
    ladder.restore(games)
    for game in games:
        ladder.add(game)
    return ladder.rank()


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
)
