"""Swiss rounds of many bots: paired by score groups as a matching of all of them pairs them."""

import random
from collections import Counter

import pytest

from arbiter.tournament.schedule.pairing import PairingPool, ScoreGroups, Seeker, match, pair_off

OUTCOMES = ((0, 2), (0, 1, 2), (0, 0.5, 1, 1.5, 2), (1, 1, 1, 2, 0))  # points of a match of two games for one bot


def play_badly_paired_rounds(chance, bots, rounds):
    """Return the bots by rank, their points, and who met whom, after rounds in which neighbours met at random."""
    points = dict.fromkeys(bots, 0.0)
    met = Counter()
    outcomes = chance.choice(OUTCOMES)
    for _ in range(rounds):
        left = sorted(bots, key=lambda bot: (-points[bot], chance.random()))
        while left:
            one = left.pop(0)
            two = next((other for other in left if not met[frozenset((one, other))]), left[0])
            left.remove(two)
            met[frozenset((one, two))] += 1
            won = chance.choice(outcomes)
            points[one] += won
            points[two] += 2 - won
    return sorted(bots, key=lambda bot: -points[bot]), points, met


@pytest.mark.slow(keep=10)
@pytest.mark.parametrize("seed", range(300))
def test_many_bots_are_paired_as_by_a_matching_of_all(seed):
    chance = random.Random(seed)
    bots = [f"b{number}" for number in range(2 * chance.randrange(10, 16))]
    ranked, points, met = play_badly_paired_rounds(chance, bots, chance.randrange(6))
    scores = sorted(set(points.values()), reverse=True)
    seekers = [Seeker(bot, scores.index(points[bot])) for bot in ranked]
    assert list(ScoreGroups(seekers, met).pair()) == match(seekers, met)


@pytest.mark.parametrize("bots", [999, 1000])
def test_a_thousand_bots_play_ten_rounds_without_a_second_meeting(bots):
    chance = random.Random(bots)
    names = [f"b{number}" for number in range(bots)]
    points = dict.fromkeys(names, 0.0)
    met, byes = Counter(), Counter()
    for _ in range(10):
        ranked = tuple(sorted(names, key=lambda name: -points[name]))
        pairings, bye = pair_off(PairingPool(ranked, points, met, byes))
        playing = [name for pairing in pairings for name in pairing]
        assert sorted([*playing, *([bye] if bye else [])]) == sorted(names)
        for one, two in pairings:
            assert not met[frozenset((one, two))]
            met[frozenset((one, two))] += 1
            won = chance.choice((0, 1, 1, 2))
            points[one] += won
            points[two] += 2 - won
        if bye:
            assert not byes[bye]
            byes[bye] += 1
            points[bye] += 2
