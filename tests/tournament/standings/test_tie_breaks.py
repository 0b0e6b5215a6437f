"""Tie-breaks by opponents, by forfeits and by random numbers."""

import pytest
from tournament.stored_games import RESULTS, game, games

from arbiter.tournament.fixture import RoundBye
from arbiter.tournament.standings.crosstable import build_crosstable
from arbiter.tournament.standings.table import rank_bots
from arbiter.tournament.standings.tie_breaks import TIE_BREAKS

# Three rounds of six; e and f met twice.
ROUNDS = """
    1 a d 1-0
    1 b e 1-0
    1 c f 1-0
    2 a b 1/2
    2 c d 1/2
    2 e f 1-0
    3 a c 1-0
    3 b d 1/2
    3 f e 0-1
"""
SWAPPED = {"1-0": "0-1", "0-1": "1-0", "1/2": "1/2"}


def read_rounds(text):
    rows = (line.split() for line in text.strip().splitlines())
    return [
        game(red, blue, *RESULTS[result], pair=number, round_=int(round_))
        for number, (round_, red, blue, result) in enumerate(rows)
    ]


def compute(name, played, bots="abcdef", seed=0):
    return TIE_BREAKS[name](build_crosstable(bots, played), bots, seed)


@pytest.mark.parametrize(
    ("name", "expected"),
    [  # scores: a 2½, b 2, c 1½, d 1, e 2, f 0
        ("buchholz", {"a": 1 + 2 + 1.5, "b": 2 + 2.5 + 1, "c": 0 + 1 + 2.5, "d": 2.5 + 1.5 + 2, "e": 2 + 0 + 0, "f": 1.5 + 2 + 2}),
        ("buchholz-cut-1", {"a": 3.5, "b": 4.5, "c": 3.5, "d": 4.5, "e": 2, "f": 4}),
        ("buchholz-median", {"a": 1.5, "b": 2, "c": 1, "d": 2, "e": 0, "f": 2}),
    ],
)  # fmt: skip
def test_buchholz_by_hand(name, expected):
    assert compute(name, read_rounds(ROUNDS)) == expected


def test_an_opponent_counts_once_per_round():
    played = read_rounds(ROUNDS)
    swapped = read_rounds("\n".join(_swap(line) for line in ROUNDS.strip().splitlines()))
    for name in ("buchholz", "buchholz-cut-1", "buchholz-median"):
        once, twice = compute(name, played), compute(name, [*played, *swapped])
        assert twice == {bot: 2 * value for bot, value in once.items()}, "scores double, meetings do not"


def _swap(line):
    round_, red, blue, result = line.split()
    return f"{round_} {blue} {red} {SWAPPED[result]}"


SAT_OUT = "1 a b 1-0\n2 b c 1-0\n3 c a 0-1"  # scores with byes: a 1 + 1 + 1, b 1 + 1, c 1


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("buchholz", {"a": 2 + 1 + 3, "b": 3 + 1 + 2, "c": 2 + 3 + 1}),
        ("buchholz-cut-1", {"a": 2 + 3, "b": 3 + 2, "c": 2 + 3}),
        ("sonneborn-berger", {"a": 2 + 1 + 3, "b": 1 + 2, "c": 1}),
    ],
)
def test_a_bye_counts_as_an_opponent_with_the_same_score(name, expected):
    byes = [RoundBye(round=round_, bot=bot, points=6, games=1) for round_, bot in ((1, "c"), (2, "a"), (3, "b"))]
    table = build_crosstable("abc", read_rounds(SAT_OUT), byes)
    assert TIE_BREAKS[name](table, "abc", 0) == expected


def test_a_bye_without_points_adds_nothing_to_the_score():
    table = build_crosstable("ab", read_rounds("2 a b 1-0"), [RoundBye(round=1, bot="a", points=0, games=2)])
    assert TIE_BREAKS["buchholz"](table, "ab", 0) == {"a": 0 + 1, "b": 1}


@pytest.mark.parametrize("name", ["buchholz", "buchholz-cut-1", "buchholz-median"])
def test_buchholz_without_opponents_is_zero(name):
    assert compute(name, [], "ab") == {"a": 0, "b": 0}


def test_fewer_forfeits_rank_first():
    played = games("a x 0-1\nx a 0-1\nb x timeout blue\nx b 0-1", "simple")
    table = rank_bots("abx", played, ["points", "forfeits"])
    assert [(line.bot, line.rank, line.tie_breaks["forfeits"], line.decided_by) for line in table] == [
        ("x", 1, 0, None),
        ("a", 2, 0, "forfeits"),
        ("b", 3, 1, "forfeits"),
    ]


def order_by_lots(seed, bots="abcdef"):
    return [line.bot for line in rank_bots(bots, [], ["points", "lots"], seed)]


def test_lots_depend_on_seed_and_name_only():
    table = rank_bots("abcdef", [], ["points", "lots"], 17)
    assert [line.rank for line in table] == [1, 2, 3, 4, 5, 6]
    assert {line.decided_by for line in table} == {"lots"}
    assert [line.tie_breaks["lots"] for line in table] == sorted(compute("lots", [], seed=17).values(), reverse=True)
    assert order_by_lots(17) == order_by_lots(17, "fedcba")
    assert [bot for bot in order_by_lots(17) if bot in "abc"] == order_by_lots(17, "abc"), (
        "a new bot does not change the others' lots"
    )
    assert len({tuple(order_by_lots(seed)) for seed in range(20)}) > 10


def test_each_bot_has_the_highest_lot_about_equally_often():
    first = [order_by_lots(seed, "abc")[0] for seed in range(600)]
    assert all(150 < first.count(bot) < 250 for bot in "abc")


def test_sonneborn_berger_without_rounds_is_that_of_all_rounds():
    table = build_crosstable("abcdef", read_rounds(ROUNDS))
    by_rounds = {
        bot: sum(one.value * one.score for one in table.opposition.list_contributions(bot)) for bot in table.cells
    }
    assert TIE_BREAKS["sonneborn-berger"](table, "abcdef", 0) == by_rounds
