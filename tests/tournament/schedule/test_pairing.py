from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbiter.tournament.schedule.pairing import PairingPool, pair_off


def make_pool(points, met=(), byes=()):
    """Name entrants a, b, ... in the order of their points."""
    bots = "abcdefghijklmnopqrstuvwxyz"[: len(points)]
    return PairingPool(
        tuple(bots), dict(zip(bots, points, strict=True)), Counter(frozenset(pairing) for pairing in met), Counter(byes)
    )


def show(found):
    pairings, bye = found
    return " ".join([*("".join(pairing) for pairing in pairings), *([bye] if bye else [])])


CASES = {
    "the upper half meets the lower half": ([0] * 8, "", "", "ae bf cg dh"),
    "the lowest of an odd number has the bye": ([0] * 7, "", "", "ad be cf g"),
    "a score group of its own": ([2, 2, 2, 2, 0, 0, 0, 0], "", "", "ac bd eg fh"),
    "to an odd group the highest of the next comes up": ([2, 2, 2, 0, 0, 0], "", "", "ac bd ef"),
    "no bot comes up farther than necessary": ([3, 2, 2, 1, 0, 0], "", "", "ab cd ef"),
    "a rematch is avoided by the nearest other": ([0] * 4, "ac", "", "ad bc"),
    "two have met all of their group": ([2, 2, 0, 0], "ab", "", "ac bd"),
    "a bot that has met the one that comes up meets another": ([2, 2, 2, 0, 0, 0], "bd", "", "ad bc ef"),
    "the second of the next group comes up if all have met the highest": ([2, 0, 0, 0], "ab", "", "ac bd"),
    "the last of the lower half change places first": ([0] * 6, "cf", "", "ad bf ce"),
    "the halves change places last": ([0] * 4, "ac ad", "", "ab cd"),
    "nobody has a second bye": ([2, 2, 2, 2, 0], "", "e", "ac be d"),
    "the bye goes up only as far as it must": ([3, 2, 1], "", "bc", "bc a"),
    "the bye goes to another bot so that no two meet again": ([4, 2, 0], "ab", "", "ac b"),
    "there are no opponents left: one meeting again is the least": ([2, 1, 1, 0], "ab ac ad bc bd cd", "", "ab cd"),
    "the third meeting comes after the second": ([2, 1, 1, 0], "ab ab ac ad bc bd cd cd", "", "ac bd"),
    "all have had the bye": ([3, 2, 1], "ab ac bc", "abc", "ab c"),
}


@pytest.mark.parametrize(("points", "met", "byes", "pairings"), CASES.values(), ids=CASES)
def test_a_round(points, met, byes, pairings):
    assert show(pair_off(make_pool(points, met.split(), byes))) == pairings


def list_pairings(left):
    """Yield every way to pair all that are left."""
    if not left:
        yield ()
        return
    first, *rest = left
    for other in rest:
        for more in list_pairings([one for one in rest if one != other]):
            yield ((first, other), *more)


def list_faults(field, pairings):
    """List what is against a pairing of all, the gravest first, computed in another way than the code does."""
    bots, points = field.ranked, field.points
    bye = next((one for one, other in pairings if other is None), None)
    games = [pairing for pairing in pairings if None not in pairing]
    groups = sorted(set(points.values()), reverse=True)
    crossing = [
        [groups.index(points[two]) - number for one, two in games if points[one] == score != points[two]]
        for number, score in enumerate(groups)
    ]
    risen = sorted(two for one, two in games if points[one] != points[two])
    return (
        field.byes[bye] if bye else 0,
        sum(field.met[frozenset(pairing)] for pairing in games),
        -bots.index(bye) if bye else 0,
        [(len(rises), sum(rises)) for rises in crossing],
        risen,
        sorted(one for one, _ in games),
        [two for _, two in sorted(games)],
    )


small = st.integers(2, 8).flatmap(
    lambda size: st.tuples(
        st.lists(st.integers(0, 3), min_size=size, max_size=size).map(lambda points: sorted(points, reverse=True)),
        st.lists(st.sampled_from([one + two for one in "abcdefgh"[:size] for two in "abcdefgh"[:size] if one < two])),
        st.lists(st.sampled_from("abcdefgh"[:size]), unique=True),
    )
)


@settings(max_examples=100)
@given(small)
def test_no_other_pairing_is_better(case):
    field = make_pool(*case)
    pairings, bye = pair_off(field)
    found = (*pairings, (bye, None)) if bye else tuple(pairings)
    every = list(list_pairings([*field.ranked, *([None] if len(field.ranked) % 2 else [])]))
    best = min(every, key=lambda one: list_faults(field, one))
    assert sorted(found) == sorted(best)
