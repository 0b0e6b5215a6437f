"""Pairs of games: two bots play twice with the same decks or deployments, colours swapped.

The two games of a pair are not independent, so statistics count pairs instead of games.  They count identical pairs
once: bots that ignore their seeds repeat their games, which is no evidence.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from arbiter.games.base import FORFEITS, Ending
from arbiter.tournament.standings.stored_game import StoredGame
from protocol.words import BLUE, RED, SEATS, Seat

PAIR_SCORES: Final = (0.0, 0.5, 1.0, 1.5, 2.0)  # LL, LD, DD or WL, WD, WW
Pentanomial = tuple[int, ...]  # numbers of pairs by PAIR_SCORES

_BOTH_LOSE: Final[frozenset[Ending]] = FORFEITS | {"double_loss"}  # if there is no winner
_NO_GAME: Final = (None, "")


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
        one, two = (game.red, game.blue) if game.red < game.blue else (game.blue, game.red)
        seat: Seat = RED if game.red == one else BLUE
        halves.setdefault((one, two, _find_stage(game), game.pair), {})[seat] = find_score(game, one), game.fingerprint
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


class DistinctPairs:
    """A filter of pairs of games that lets each pair through once.

    A pair is identical to another of the same bots if both games are, with the same colours and scores.  A game without
    its other half is identical to any such game with the same colours.  Games without fingerprints are all different.
    """

    def __init__(self) -> None:
        self._seen: set[tuple[object, ...]] = set()

    def add(self, pair: Pair) -> bool:
        """Add a pair; return False if it repeats an earlier one."""
        halves = [
            (pair.one, pair.two, seat, score, fingerprint)
            for seat, score, fingerprint in (
                (RED, pair.as_red, pair.red_fingerprint),
                (BLUE, pair.as_blue, pair.blue_fingerprint),
            )
            if score is not None
        ]
        known = [half for half in halves if half[-1]]
        is_new = len(known) < len(halves) or tuple(halves) not in self._seen
        self._seen.update(((half,) for half in known), (tuple(halves),))
        return is_new


def find_distinct(pairs: Iterable[Pair]) -> list[Pair]:
    """Return the pairs with a game that counts, without those that repeat another one."""
    distinct = DistinctPairs()
    complete_first = sorted((pair for pair in pairs if pair.counts), key=lambda pair: pair.score is None)
    return [pair for pair in complete_first if distinct.add(pair)]


def select_distinct_games(games: Sequence[StoredGame]) -> list[StoredGame]:
    """Return the games that count for ratings: those of distinct pairs, without voided games and walkovers."""
    by_pair: dict[tuple[str, str, str, int], list[StoredGame]] = {}
    for game in games:
        one, two = sorted((game.red, game.blue))
        by_pair.setdefault((one, two, _find_stage(game), game.pair), []).append(game)
    pairs = {key: pair for key, group in sorted(by_pair.items()) for pair in pair_games(group)}
    distinct = set(map(id, find_distinct(pairs.values())))
    return [
        game
        for key, group in sorted(by_pair.items())
        if id(pairs[key]) in distinct
        for game in group
        if find_score(game, key[0]) is not None
    ]


def _find_stage(game: StoredGame) -> str:
    stage, _, _ = game.id.partition(f"{game.red}~{game.blue}~{game.pair}")
    return stage


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


# --- repeated pairs -------------------------------------------------------------------------------


LEAST_IN_A_ROW: Final = 10


class RepeatWatch:
    """The repeated pairs of games of a match in progress.

    Bots that repeat ten pairs in a row, and one for each starting position, are not expected to play a new one.  If a
    match ends here although new pairs have a probability of 0.3, chance has done that in 3 % of matches.
    """

    def __init__(self, starts: int, games: Iterable[StoredGame] = ()) -> None:
        """Count the games; `starts` is the number of starting positions that they take turns in."""
        self.most_in_a_row = max(LEAST_IN_A_ROW, starts)
        self.restart(games)

    def restart(self, games: Iterable[StoredGame]) -> None:
        """Count the games again, after a ruling changed some of them."""
        self.repeated = 0
        self.in_a_row = 0
        self._queue = PairQueue()
        self._distinct = DistinctPairs()
        for game in games:
            self.add(game)

    @property
    def is_over(self) -> bool:
        """True if no new games are expected."""
        return self.in_a_row >= self.most_in_a_row

    def add(self, game: StoredGame) -> None:
        """Add a finished game; its pair counts once all earlier pairs are complete."""
        for pair in self._queue.add(game):
            if pair.score is None:
                continue
            if self._distinct.add(pair):
                self.in_a_row = 0
            else:
                self.repeated += 1
                self.in_a_row += 1


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
            stage, _, _ = game.id.partition(f"{red}~{blue}~{game.pair}")
            if not merge_versions:
                red = _name_version(red, game.red_program, versions)
                blue = _name_version(blue, game.blue_program, versions)
            merged.append(replace(game, id=f"{number}~{stage}{red}~{blue}~{game.pair}", red=red, blue=blue))
    return merged


def _name_version(bot: str, program: str, versions: Versions) -> str:
    return f"{bot}@{program[:_DIGITS]}" if program and len(versions[bot] - {""}) > 1 else bot
