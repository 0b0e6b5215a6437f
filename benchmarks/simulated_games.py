"""Simulated tournaments with known strengths and a seed, from which ratings are made.

The two games of a pair have correlated scores.  If bots have few deployments, each choice of two deployments and colours
is one game, which repeats.
"""

from collections.abc import Iterator
from itertools import combinations

from msgspec import Struct

from arbiter.arrays import Floats, Generator, Numbers, np
from arbiter.tournament.ratings.pairs import Pair

PLAYED = 0.4  # share of the pairings of an incomplete round robin, in addition to a ring of all bots


class Setting(Struct, frozen=True):
    """Simulated tournaments of one kind."""

    name: str
    bots: int
    pairs: int
    """Pairs of games of each pairing."""
    form: str = "round robin"
    """round robin, gauntlet, incomplete (about half of the pairings), or swiss (each round has `pairs` pairs of games)."""
    rounds: int = 0
    drawn: float = 0.2
    """Share of drawn games between equal bots."""
    advantage: float = 40.0
    """Elo of having red."""
    correlation: float = 0.0
    """Of the scores of one bot in the two games of a pair."""
    spread: float = 150.0
    """Standard deviation of the strengths in Elo."""
    ahead: float = 0.0
    """Elo that the first bot has in addition."""
    deployments: int = 0
    """Number of deployments of each bot, from which it chooses at random; 0: every game is different."""


def choose_pairings(setting: Setting, chance: Generator) -> Numbers:
    """List the pairings of a tournament that needs no results to pair: pairings x 2."""
    every = np.array(list(combinations(range(setting.bots), 2)))
    if setting.form == "gauntlet":
        return every[every[:, 0] == 0]
    if setting.form == "incomplete":
        ring = (every[:, 1] - every[:, 0] == 1) | ((every[:, 0] == 0) & (every[:, 1] == setting.bots - 1))
        return every[ring | (chance.random(len(every)) < PLAYED)]
    return every


def play(setting: Setting, strengths: Floats, pairings: Numbers, chance: Generator) -> tuple[Floats, Floats]:
    """Play games of these pairings: the scores of the first bot as red and as blue (pairings x pairs).

    If bots have deployments, these are the results of all games that can be played (pairings x deployments squared).
    """
    ahead = (strengths[pairings[:, 0]] - strengths[pairings[:, 1]])[:, None]
    shape = (len(pairings), setting.pairs)
    if setting.deployments:
        shape = (len(pairings), setting.deployments**2)
    red_luck = chance.random(shape)
    alike = chance.random(shape) < abs(setting.correlation)
    blue_luck = np.where(alike, red_luck if setting.correlation > 0 else 1 - red_luck, chance.random(shape))
    scores = []
    for luck, sign in ((red_luck, 1), (blue_luck, -1)):
        expected = 1 / (1 + 10 ** (-(ahead + sign * setting.advantage) / 400))
        margin = setting.drawn * np.minimum(expected, 1 - expected)
        scores.append(np.where(np.abs(luck - expected) < margin, 0.5, np.where(luck < expected, 1.0, 0.0)))
    return scores[0], scores[1]


def make_pairs(setting: Setting, pairings: Numbers, scores: tuple[Floats, Floats], chance: Generator) -> Iterator[Pair]:
    """Make pairs of games from scores (pairings x pairs, or x games that can be played)."""
    for place, (one, two) in enumerate(pairings.tolist()):
        red, blue = scores[0][place].tolist(), scores[1][place].tolist()
        names = f"{one:03}", f"{two:03}"
        if not setting.deployments:
            for number, (as_red, as_blue) in enumerate(zip(red, blue, strict=True)):
                yield Pair(*names, number, as_red, as_blue, f"{number}r", f"{number}b")
            continue
        chosen = chance.integers(len(red), size=(setting.pairs, 2)).tolist()
        for number, (first, second) in enumerate(chosen):
            yield Pair(*names, number, red[first], blue[second], f"{first}r", f"{second}b")


def simulate(setting: Setting, strengths: Floats, chance: Generator) -> list[Pair]:
    """Simulate a tournament."""
    if setting.form != "swiss":
        pairings = choose_pairings(setting, chance)
        return list(make_pairs(setting, pairings, play(setting, strengths, pairings, chance), chance))
    points = np.zeros(setting.bots)
    met: set[tuple[int, int]] = set()
    pairs: list[Pair] = []
    for _ in range(setting.rounds):
        free = sorted(range(setting.bots), key=lambda bot: (-points[bot], chance.random()))
        drawn = []
        while free:
            one = free.pop(0)
            two = next((bot for bot in free if (min(one, bot), max(one, bot)) not in met), free[0])
            free.remove(two)
            drawn.append((min(one, two), max(one, two)))
        met.update(drawn)
        pairings = np.array(drawn)
        scores = play(setting, strengths, pairings, chance)
        gained = scores[0].sum(1) + scores[1].sum(1)
        points[pairings[:, 0]] += gained
        points[pairings[:, 1]] += 2 * setting.pairs - gained
        number = len(pairs)
        pairs += [
            Pair(one.one, one.two, number + place, one.as_red, one.as_blue, f"{number + place}r", f"{number + place}b")
            for place, one in enumerate(make_pairs(setting, pairings, scores, chance))
        ]
    return pairs
