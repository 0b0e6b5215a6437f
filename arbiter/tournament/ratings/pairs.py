"""Pairs of games, colours swapped, with the same decks or deployments; and a sequential test that counts them.

The two games of a pair are not independent, so statistics count pairs instead of games.  They count each distinct game
once: bots that ignore their seeds, or have few deployments, repeat their games, which shows nothing new.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from math import ceil, log, log10, sqrt
from operator import add
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from arbiter.errors import ConfigError
from arbiter.games.base import FORFEITS, Ending
from arbiter.tournament.standings.digests import Digests
from arbiter.tournament.standings.stored_game import StoredGame
from protocol.words import BLUE, OPPONENT, RED, SEATS, Seat

PAIR_SCORES: Final = (0.0, 0.5, 1.0, 1.5, 2.0)  # LL, LD, DD or WL, WD, WW
Pentanomial = tuple[int, ...]  # numbers of pairs by PAIR_SCORES

_BOTH_LOSE: Final[frozenset[Ending]] = FORFEITS | {"double_loss"}  # if there is no winner
_NO_GAME: Final = (None, "")
_DIGEST_BYTES: Final = 8


class Pair(Struct, frozen=True, gc=False):
    """A pair of games between two bots, named in alphabetical order."""

    one: str
    two: str
    number: int
    as_red: float | None = None
    """Score of the first bot as red: 1, 0.5 or 0; None if the game is missing or does not count."""
    as_blue: float | None = None
    red_fingerprint: str = ""
    """Fingerprint of the game in which the first bot is red; '' if it is missing or not known."""
    blue_fingerprint: str = ""

    @property
    def counts(self) -> bool:
        """True if a game of the pair counts."""
        return self.as_red is not None or self.as_blue is not None

    @property
    def score(self) -> float | None:
        """The first bot's score in both games, from 0 to 2; None unless both count."""
        return None if self.as_red is None or self.as_blue is None else self.as_red + self.as_blue


def pair_games(games: Iterable[StoredGame]) -> list[Pair]:
    """Combine games into pairs, ordered by pairing and number.

    A game lost by forfeit counts as lost, as in chess engine tournaments.  Voided games, walkovers and games that both
    bots lost do not count.
    """
    halves: dict[tuple[str, str, str, int], dict[Seat, tuple[float | None, str]]] = {}
    for game in games:
        key = find_pair_key(game)
        seat: Seat = RED if game.red == key[0] else BLUE
        halves.setdefault(key, {})[seat] = find_score(game, key[0]), game.fingerprint
    pairs = []
    for (one, two, _, number), half in sorted(halves.items()):
        as_red, red_fingerprint = half.get(RED, _NO_GAME)
        as_blue, blue_fingerprint = half.get(BLUE, _NO_GAME)
        pairs.append(Pair(one, two, number, as_red, as_blue, red_fingerprint, blue_fingerprint))
    return pairs


def find_score(game: StoredGame, bot: str) -> float | None:
    """Return the score of a bot in a game: 1, 0.5 or 0; None if the game does not count."""
    if not game.was_played or (game.winner is None and game.ending in _BOTH_LOSE):
        return None
    return 0.5 if game.winner is None else float(getattr(game, game.winner) == bot)


class DistinctGames:
    """A filter of pairs of games that lets each distinct game through once.

    Games are identical if bots, colours, score and fingerprint are; games without a fingerprint are all different.
    If only one game of a pair is new, it forms a pair with the new game of such another pair, with the other colour:
    bots with few deployments play few different games in very many different pairs.
    """

    def __init__(self, waiting: Iterable[tuple[Seat, Pair]] = (), digests: Iterable[bytes] = ()) -> None:
        """Continue with the `waiting` and the blocks of `digests` of an earlier filter."""
        self.games = 0
        """Number of games that count, of those that were added here."""
        self.distinct = 0
        """Number of different ones."""
        self.digests = Digests(digests)
        """Digests of 64 bits of the different games: two of a million have the same with a probability of 3e-8."""
        self._waiting: dict[tuple[str, str, Seat], list[Pair]] = {}
        for seat, pair in waiting:
            self._waiting.setdefault((pair.one, pair.two, seat), []).append(pair)

    @property
    def waiting(self) -> list[tuple[Seat, Pair]]:
        """The games that have no game to form a pair with, by their pair and the seat of its first bot."""
        return [(seat, pair) for (_, _, seat), pairs in self._waiting.items() for pair in pairs]

    def add(self, pair: Pair) -> Pair | None:
        """Add a pair; return a pair of new games, or None if there is none.

        A game without its other half is returned alone if it is new.
        """
        is_new = {seat: self._is_new(pair, seat) for seat in SEATS}
        if all(is_new.values()) or pair.score is None:
            return pair if any(is_new.values()) else None
        if not any(is_new.values()):
            return None
        seat: Seat = RED if is_new[RED] else BLUE
        other = OPPONENT[seat]
        if waiting := self._waiting.get((pair.one, pair.two, other)):
            return _combine(pair, waiting.pop(0)) if seat == RED else _combine(waiting.pop(0), pair)
        self._waiting.setdefault((pair.one, pair.two, seat), []).append(pair)
        return None

    def list_waiting(self) -> list[Pair]:
        """Return the games that found no game to form a pair with, each alone."""
        return [
            replace(pair, as_blue=None, blue_fingerprint="")
            if seat == RED
            else replace(pair, as_red=None, red_fingerprint="")
            for seat, pair in self.waiting
        ]

    def _is_new(self, pair: Pair, seat: Seat) -> bool:
        """Return True for the first game of its kind; False if it does not count."""
        score, fingerprint = (
            (pair.as_red, pair.red_fingerprint) if seat == RED else (pair.as_blue, pair.blue_fingerprint)
        )
        if score is None:
            return False
        self.games += 1
        if fingerprint:
            content = f"{pair.one} {pair.two} {seat} {score} {fingerprint}"
            digest = int.from_bytes(blake2b(content.encode(), digest_size=_DIGEST_BYTES).digest())
            if digest in self.digests:
                return False
            self.digests.add(digest)
        self.distinct += 1
        return True


def _combine(red: Pair, blue: Pair) -> Pair:
    """Make a pair of the game as red of one pair, and the game as blue of another one."""
    return replace(red, as_blue=blue.as_blue, blue_fingerprint=blue.blue_fingerprint)


def find_distinct(pairs: Iterable[Pair]) -> list[Pair]:
    """Return pairs in which each distinct game that counts is once; those without another half are alone."""
    distinct = DistinctGames()
    complete_first = sorted((pair for pair in pairs if pair.counts), key=lambda pair: pair.score is None)
    found = [distinct.add(pair) for pair in complete_first]
    return [pair for pair in [*found, *distinct.list_waiting()] if pair is not None]


def select_distinct_games(games: Iterable[StoredGame]) -> list[StoredGame]:
    """Return the games that count for ratings, each distinct one once, ordered by pairs."""
    found: dict[tuple[object, ...], StoredGame] = {}
    for game in sorted(games, key=find_pair_key):
        score = find_score(game, game.red)
        if score is not None:
            found.setdefault((game.red, game.blue, score, game.fingerprint or game.id), game)
    return list(found.values())


def _find_stage(game: StoredGame) -> str:
    stage, _, _ = game.id.partition(f"{game.red}~{game.blue}~{game.pair}")
    return stage


def find_pair_key(game: StoredGame) -> tuple[str, str, str, int]:
    """Return what identifies the pair of games that a game belongs to: both bots, the stage and the number."""
    return min(game.red, game.blue), max(game.red, game.blue), _find_stage(game), game.pair


class PairQueue:
    """Combines finished games of one pairing into pairs, in the order of the schedule.

    So what is computed from them does not depend on how long games take or how many are played at a time, and it is the
    same if a match is stopped and resumed.
    """

    def __init__(self) -> None:
        self._taken = 0
        self._waiting: dict[int, list[StoredGame]] = {}

    def add(self, game: StoredGame) -> Iterator[Pair]:
        """Add a finished game; yield the pairs that are complete, as are all earlier ones."""
        self._waiting.setdefault(game.pair, []).append(game)
        while len(self._waiting.get(self._taken + 1, ())) == len(SEATS):
            self._taken += 1
            yield from pair_games(self._waiting.pop(self._taken))


def count_pairs(pairs: Iterable[Pair], bot: str) -> Pentanomial:
    """Count complete pairs by the score of a bot."""
    counts = [0] * len(PAIR_SCORES)
    for pair in pairs:
        if pair.score is not None:
            counts[PAIR_SCORES.index(pair.score if pair.one == bot else 2 - pair.score)] += 1
    return tuple(counts)


# --- repeated games -------------------------------------------------------------------------------


LEAST_IN_A_ROW: Final = 10


class RepeatWatch:
    """The repeated games of a match in progress.

    Bots that play ten pairs in a row without a new game, and one for each starting position, are not expected to play a
    new one.  If a match ends here although a pair has a new game with a probability of 0.3, chance has done that in 3 %
    of matches.
    """

    def __init__(self, starts: int, games: Iterable[StoredGame] = ()) -> None:
        """Count the games; `starts` is the number of starting positions that they take turns in."""
        self.most_in_a_row = max(LEAST_IN_A_ROW, starts)
        self.restart(games)

    def restart(self, games: Iterable[StoredGame]) -> None:
        """Count the games again, after a ruling changed some of them."""
        self.in_a_row = 0
        self._queue = PairQueue()
        self._distinct = DistinctGames()
        for game in games:
            self.add(game)

    @property
    def games(self) -> int:
        """The number of games of complete pairs."""
        return self._distinct.games

    @property
    def distinct(self) -> int:
        """The number of distinct games among them."""
        return self._distinct.distinct

    @property
    def is_over(self) -> bool:
        """True if no new games are expected."""
        return self.in_a_row >= self.most_in_a_row

    def add(self, game: StoredGame) -> None:
        """Add a finished game; its pair counts once all earlier pairs are complete."""
        for pair in self._queue.add(game):
            if pair.score is None:
                continue
            before = self.distinct
            self._distinct.add(pair)
            self.in_a_row = self.in_a_row + 1 if self.distinct == before else 0


# --- games of several sources ---------------------------------------------------------------------


_DIGITS: Final = 8  # of the digest of a program, in the name of a version

Versions = dict[str, set[str]]


def merge_games(sources: Iterable[Sequence[StoredGame]], *, merge_versions: bool = False) -> list[StoredGame]:
    """Combine games; games of different sources belong to different pairs.

    If a bot has played with several programs, each is a player of its own, named BOT@ and the start of the digest of
    the program, unless `merge_versions`.  Games with an unknown program keep the name of the bot.
    """
    sources = list(sources)
    versions: Versions = defaultdict(set)
    for game in (game for source in sources for game in source):
        versions[game.red].add(game.red_program)
        versions[game.blue].add(game.blue_program)
    merged = []
    for number, source in enumerate(sources, start=1):
        for game in source:
            red, blue = game.red, game.blue
            if not merge_versions:
                red = _name_version(red, game.red_program, versions)
                blue = _name_version(blue, game.blue_program, versions)
            merged.append(replace(game, id=f"{number}~{_find_stage(game)}{red}~{blue}~{game.pair}", red=red, blue=blue))
    return merged


def _name_version(bot: str, program: str, versions: Versions) -> str:
    return f"{bot}@{program[:_DIGITS]}" if program and len(versions[bot] - {""}) > 1 else bot


# --- log-likelihood ratios ------------------------------------------------------------------------

# Sequential probability ratio test: is a bot stronger than another?  It stops as soon as the games have shown it.
#
# The log-likelihood ratios of Elo differences, from pairs of games counted by their score, are generalised ones as in
# fishtest and fastchess: Michel Van den Bergh, "Comments on Normalized Elo", proposition 1.1 for logistic Elo and
# section 4.1 for normalized Elo.


Model = Literal["logistic", "normalized"]
MODELS: Final[tuple[Model, ...]] = ("logistic", "normalized")

NORMALIZED_ELO: Final = 800 / log(10)  # normalized Elo of one standard deviation of the score of a game
_UNSEEN: Final = 1e-3  # count of a pair score that has not occurred
_CLOSE: Final = 1e-12
_SAME_SHARES: Final = 1e-9
_MOST_STEPS: Final = 200
_LONGEST_STEP: Final = 0.5  # in standard deviations
_SHARES: Final = tuple(score / 2 for score in PAIR_SCORES)  # of the points of a pair


def llr(counts: Sequence[float], elo0: float, elo1: float, model: Model = "logistic") -> float:
    """Return the generalised log-likelihood ratio of `elo1` to `elo0`; 0 before the first pair."""
    if not any(counts):
        return 0.0
    seen = [count or _UNSEEN for count in counts]
    total = sum(seen)
    shares = [count / total for count in seen]
    fits = _fit_mean if model == "logistic" else _fit_deviation
    likely0, likely1 = fits(shares, elo0), fits(shares, elo1)
    return total * sum(share * log(one / zero) for share, zero, one in zip(shares, likely0, likely1, strict=True))


def to_elo(shares: Sequence[float], model: Model = "logistic") -> float:
    """Return the Elo difference of a distribution of pair scores, which has at least two."""
    mean = sum(share * score for share, score in zip(shares, _SHARES, strict=True))
    if model == "logistic":
        return 400 * log10(mean / (1 - mean))
    variance = sum(share * (score - mean) ** 2 for share, score in zip(shares, _SHARES, strict=True))
    return (mean - 0.5) / sqrt(2 * variance) * NORMALIZED_ELO


def _fit_mean(shares: Sequence[float], elo: float) -> list[float]:
    """Find the likeliest distribution with the mean score that a difference in logistic Elo gives."""
    mean = 1 / (1 + 10 ** (-elo / 400))
    return _tilt(shares, [score - mean for score in _SHARES])


def _fit_deviation(shares: Sequence[float], elo: float) -> list[float]:
    """Find the likeliest distribution whose mean is a multiple of its standard deviation above one half.

    Each step linearises the condition at the last distribution.  It is approached from that of equal bots, because far
    from it no distribution meets the linearised condition.
    """
    target = elo * sqrt(2) / NORMALIZED_ELO
    stages = max(1, ceil(abs(target) / _LONGEST_STEP))
    found = [1 / len(shares)] * len(shares)
    for stage in range(1, stages + 1):
        ratio = target * stage / stages
        for _ in range(_MOST_STEPS):
            mean = sum(share * score for share, score in zip(found, _SHARES, strict=True))
            deviation = sqrt(sum(share * (score - mean) ** 2 for share, score in zip(found, _SHARES, strict=True)))
            before = found
            found = _tilt(
                shares,
                [score - 0.5 - ratio * deviation * (1 + ((score - mean) / deviation) ** 2) / 2 for score in _SHARES],
            )
            if max(abs(one - other) for one, other in zip(before, found, strict=True)) < _SAME_SHARES:
                break
    return found


def _tilt(shares: Sequence[float], values: Sequence[float]) -> list[float]:
    """Find the likeliest distribution in which these values have mean 0: share / (1 + tilt * value)."""
    low, high = -1 / max(values), -1 / min(values)
    tilt = 0.0
    while high - low > _CLOSE:
        total = slope = 0.0
        for share, value in zip(shares, values, strict=True):
            part = value / (1 + tilt * value)
            total += share * part
            slope += share * part * part
        low, high = (tilt, high) if total > 0 else (low, tilt)
        newton = tilt + total / slope
        if abs(newton - tilt) < _CLOSE:
            break
        tilt = newton if low < newton < high else (low + high) / 2
    return [share / (1 + tilt * value) for share, value in zip(shares, values, strict=True)]


# --- sequential tests -----------------------------------------------------------------------------


MOST_ELO: Final = 1000.0

Hypothesis = Literal["H0", "H1"]


class Sprt(Struct, frozen=True, kw_only=True):
    """A test of H1, an advantage of `elo1`, against H0, an advantage of `elo0`."""

    elo0: float
    elo1: float
    alpha: float = 0.05
    """Probability of accepting H1 if H0 is true."""
    beta: float = 0.05
    """Probability of accepting H0 if H1 is true."""
    model: Model = "logistic"
    """The scale of `elo0` and `elo1`."""

    @property
    def lower(self) -> float:
        """The log-likelihood ratio at which H0 is accepted."""
        return log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """The log-likelihood ratio at which H1 is accepted."""
        return log((1 - self.beta) / self.alpha)

    def check(self) -> None:
        """Raise ConfigError if the settings make no test."""
        if not -MOST_ELO <= self.elo0 < self.elo1 <= MOST_ELO:
            raise ConfigError(
                f"--sprt {self.elo0:g},{self.elo1:g}: must be two numbers of Elo from {-MOST_ELO:g} to {MOST_ELO:g}, "
                "the lower first, such as 0,10"
            )
        for name, share in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < share < 0.5:  # noqa: PLR2004 - a test that errs in half of all cases is none
                raise ConfigError(f"--{name} {share:g}: must be more than 0 and less than 0.5, such as 0.05")


class SprtRun:
    """A test in progress. Pairs count in the order of the schedule, and each distinct game counts once."""

    def __init__(self, sprt: Sprt, bot: str, games: Iterable[StoredGame] = ()) -> None:
        self.sprt = sprt
        self._bot = bot
        self.restart(games)

    def restart(self, games: Iterable[StoredGame]) -> None:
        """Count the games again, after a ruling changed some of them."""
        self.accepted: Hypothesis | None = None
        self.llrs = [0.0]
        """The log-likelihood ratio before the first and after each pair."""
        self.counts: Pentanomial = (0,) * len(PAIR_SCORES)
        self.later_pairs = 0
        """Number of pairs after the verdict, which it does not use."""
        self._queue = PairQueue()
        self._distinct = DistinctGames()
        for game in games:
            self.add(game)

    @property
    def llr(self) -> float:
        """The log-likelihood ratio so far."""
        return self.llrs[-1]

    @property
    def is_over(self) -> bool:
        """True if a hypothesis is accepted."""
        return self.accepted is not None

    def add(self, game: StoredGame) -> None:
        """Add a finished game; count its pair once all earlier pairs are complete."""
        for pair in self._queue.add(game):
            new = None if pair.score is None else self._distinct.add(pair)
            if new is None:
                continue
            if self.is_over:
                self.later_pairs += 1
                continue
            self.counts = tuple(map(add, self.counts, count_pairs([new], self._bot)))
            self.llrs.append(llr(self.counts, self.sprt.elo0, self.sprt.elo1, self.sprt.model))
            if self.llr >= self.sprt.upper:
                self.accepted = "H1"
            elif self.llr <= self.sprt.lower:
                self.accepted = "H0"
