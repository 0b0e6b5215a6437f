"""Pairs of games, colours swapped, with the same decks or deployments.

The two games of a pair are not independent, so statistics count pairs instead of games.  They count each distinct game
once: bots that ignore their seeds, or have few deployments, repeat their games, which shows nothing new.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

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
        key = _find_pair_key(game)
        seat: Seat = RED if game.red == key[0] else BLUE
        halves.setdefault(key, {})[seat] = _find_score(game, key[0]), game.fingerprint
    pairs = []
    for (one, two, _, number), half in sorted(halves.items()):
        as_red, red_fingerprint = half.get(RED, _NO_GAME)
        as_blue, blue_fingerprint = half.get(BLUE, _NO_GAME)
        pairs.append(Pair(one, two, number, as_red, as_blue, red_fingerprint, blue_fingerprint))
    return pairs


def _find_score(game: StoredGame, bot: str) -> float | None:
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
    for game in sorted(games, key=_find_pair_key):
        score = _find_score(game, game.red)
        if score is not None:
            found.setdefault((game.red, game.blue, score, game.fingerprint or game.id), game)
    return list(found.values())


def _find_stage(game: StoredGame) -> str:
    stage, _, _ = game.id.partition(f"{game.red}~{game.blue}~{game.pair}")
    return stage


def _find_pair_key(game: StoredGame) -> tuple[str, str, str, int]:
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
