import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tournament.stored_games import game, games

from arbiter.errors import ConfigError
from arbiter.tournament.standings.crosstable import Tally, build_crosstable
from arbiter.tournament.standings.table import rank_bots
from arbiter.tournament.standings.tie_breaks import check_tie_breaks, direct

USUAL = ["points", "wins", "direct", "sonneborn-berger"]


def rank(bots, text, tie_breaks=USUAL, system="isf"):
    return rank_bots(bots.split(), games(text, system), tie_breaks)


def list_ranks(bots, text, tie_breaks=USUAL, system="isf"):
    return [(line.rank, line.bot, line.decided_by) for line in rank(bots, text, tie_breaks, system)]


CASES = {
    "points alone": ("a b c", "a b 1-0\nb c 1-0\na c 1-0", [(1, "a", None), (2, "b", None), (3, "c", None)]),
    "nobody has played": ("a b", "", [(1, "a", None), (1, "b", None)]),
    "wins part equal points": (  # two draws are worth a win in the ISF's points
        "a b c d",
        "a c 1/2\na d 1/2\nb c 1-0\nd b timeout red",
        [(1, "d", None), (2, "b", "wins"), (3, "a", "wins"), (4, "c", None)],
    ),
    "the direct encounter parts two": ("a b c d", "a b 0-1\na c 1-0\nb d 0-1", [(1, "b", "direct"), (2, "a", "direct"), (3, "d", None), (4, "c", None)]),
    "a circle of three stays tied": ("a b c", "a b 1-0\nb c 1-0\nc a 1-0", [(1, "a", None), (1, "b", None), (1, "c", None)]),
    "those equal in everything share a rank and the next one is skipped": (
        "a b c",
        "a b 1/2\nb a 1/2\na c 1-0\nb c 1-0",
        [(1, "a", None), (1, "b", None), (3, "c", None)],
    ),
    "Sonneborn-Berger parts who beat the stronger": (
        "a b c d",
        "b d 1-0\na c 1-0\nc d 1-0",
        [(1, "c", None), (2, "a", "sonneborn-berger"), (3, "b", "sonneborn-berger"), (4, "d", None)],
    ),
    "an annulled game counts for nothing": ("a b", "a b annulled -\na b 0-1", [(1, "b", None), (2, "a", None)]),
}  # fmt: skip


@pytest.mark.parametrize(("bots", "text", "expected"), CASES.values(), ids=CASES)
def test_ranks(bots, text, expected):
    assert list_ranks(bots, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a b 1-0\nb c 1-0\nc a 1/2", {"a": 9, "b": 7, "c": 4}),
        ("a b 1-0\nb c 1-0", None),
        ("a b 1-0\nb c 1-0\nc a 1/2\na b 1/2", {"a": 4.5 + 3, "b": 2 + 6, "c": 1 + 3}),
        ("a b 1-0\nb c 1-0\nc a annulled -", None),
        ("", None),
    ],
    ids=["all have met", "two have not met", "two have met more often", "an annulled game does not count as a meeting", "none has met"],
)  # fmt: skip
def test_a_direct_encounter_requires_that_all_have_met(text, expected):
    assert direct(build_crosstable("abcd", games(text + "\na d 1-0")), "abc", 0) == expected


def test_a_direct_encounter_is_counted_again_among_bots_still_tied():
    text = """
        a b 1-0
        b a 0-1
        a c 1/2
        c a 1/2
        b c 1-0
        c b 1/2
        a d 0-1
        d a 1-0
        b d 1-0
        d b 1/2
        c d 1-0
        d c 1/2
        d e 1-0
        e d 0-1
    """
    lines = rank("c b a d e", text, ["points", "direct"], "simple")
    assert [(line.bot, line.points, line.tie_breaks["direct"], line.decided_by) for line in lines] == [
        ("d", 5, None, None),
        ("a", 3, 1.5, "direct"),
        ("b", 3, 0.75, "direct"),
        ("c", 3, 0.25, "direct"),
        ("e", 0, None, None),
    ]


def test_the_last_tie_break_needed_for_either_neighbour_is_shown():
    text = "a x 1-0\na y timeout blue\nb x 1/2\nb y 1/2\nc x 1/2\nc y 1/2\nb c 1-0\nc z 1-0\na z 1-0\nb z 0-1"
    lines = {line.bot: line for line in rank("a b c x y z", text)}
    assert [(lines[bot].points, lines[bot].wins) for bot in "abc"] == [(12, 2), (13, 1), (13, 1)]
    assert lines["b"].decided_by == lines["c"].decided_by == "direct"


def test_a_row_of_the_table():
    text = """
        a b 1-0
        b a 1/2
        a b timeout blue
        b a crash red
        a b 0-1
        b a timeout red
        a b illegal_setup -
        b a annulled -
    """
    a, b = sorted(rank("a b", text), key=lambda line: line.bot)
    assert (a.games, a.wins, a.draws, a.losses, a.forfeits, a.points) == (7, 1, 1, 1, 4, 6 + 3 + 1)
    assert a.forfeit_causes == {"crash": 1, "illegal_setup": 1, "timeout": 2}
    assert (b.games, b.wins, b.draws, b.losses, b.forfeits, b.points) == (7, 4, 1, 1, 1, 24 + 3 + 1)
    assert b.forfeit_causes == {"illegal_setup": 1}
    assert a.tie_breaks == {"wins": 1, "direct": None, "sonneborn-berger": 1 * 4.5 + 0.5 * 4.5}


def test_sums_of_tenths_do_not_depend_on_their_order():
    played = [
        replace(game(red, blue, None, "agreed", pair=number), red_points=points, blue_points=points)
        for number, (red, blue, points) in enumerate(
            [("a", "b", 0.1), ("a", "b", 0.2), ("a", "c", 0.3), ("b", "c", 0.3)], start=1
        )
    ]
    assert 0.1 + 0.2 + 0.3 != 0.3 + 0.2 + 0.1
    ranked = rank_bots("abc", [*played, replace(played[0], red="c", blue="d", red_points=0)], ["points"])
    assert [(line.rank, line.bot, line.points) for line in ranked][:3] == [(1, "a", 0.6), (1, "b", 0.6), (1, "c", 0.6)]


def test_games_of_other_bots_do_not_count():
    assert [(line.bot, line.games) for line in rank("a b", "a b 1-0\na c 0-1")] == [("a", 1), ("b", 1)]


def test_the_crosstable_has_both_sides():
    cells = build_crosstable(["a", "b", "c"], games("a b 1-0\nb a 1/2\na c crash red"))
    assert cells["a"]["b"] == Tally(points=9, wins=1, draws=1)
    assert cells["b"]["a"] == Tally(points=4, losses=1, draws=1)
    assert cells["c"]["a"] == Tally(points=0, forfeits=1)
    assert cells["b"]["c"].games == 0


played_games = st.lists(
    st.tuples(
        st.permutations("abcde").map(lambda names: names[:2]),
        st.sampled_from(
            [("red", "flag_taken"), ("blue", "no_moves"), (None, "agreed"), ("red", "crash"), (None, "no_start")]
        ),
    ),
    max_size=30,
).map(lambda rows: [game(*names, *result, pair=number) for number, (names, result) in enumerate(rows)])


@given(played_games, st.randoms(use_true_random=False), st.permutations(USUAL[1:]))
def test_ranks_do_not_depend_on_the_order_of_games_and_bots(played, chance, tie_breaks):
    bots, shuffled = list("abcde"), list(played)
    chance.shuffle(bots)
    chance.shuffle(shuffled)
    one = rank_bots("abcde", played, ["points", *tie_breaks])
    other = rank_bots(bots, shuffled, ["points", *tie_breaks])
    assert sorted(one, key=lambda line: line.bot) == sorted(other, key=lambda line: line.bot)


@given(played_games)
def test_each_game_counts_once_for_each_side(played):
    lines = rank_bots("abcde", played, USUAL)
    assert sum(line.games for line in lines) == 2 * len(played)
    assert sum(line.points for line in lines) == sum(game.red_points + game.blue_points for game in played)
    assert all(line.games == line.wins + line.draws + line.losses + line.forfeits for line in lines)
    assert all(sum(line.forfeit_causes.values()) == line.forfeits for line in lines)
    assert [line.points for line in lines] == sorted((line.points for line in lines), reverse=True)
    assert [line.rank for line in lines] == [1 + sum(other.rank < line.rank for other in lines) for line in lines]


@pytest.mark.parametrize(
    ("names", "complaint"),
    [
        (["points", "median"], "unknown tie-break 'median'"),
        (["points", "sonnenborn-berger"], "did you mean 'sonneborn-berger'"),
        (["wins", "points"], 'must be "points"'),
        ([], 'must be "points"'),
        (["points", "wins", "wins"], "listed twice"),
    ],
)
def test_invalid_lists_of_tie_breaks(names, complaint):
    with pytest.raises(ConfigError, match=complaint):
        check_tie_breaks(names)
