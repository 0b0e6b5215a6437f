from collections import Counter
from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st
from tournament.schedules import make_entrants, make_schedule

from arbiter.tournament.schedule.round_robin import make_berger_table, schedule_all

NAMES = [f"bot-{number}.x" for number in range(12)]
fields = st.integers(2, 12).map(lambda size: NAMES[:size])
lengths = st.integers(1, 4).map(lambda pairs: 2 * pairs)


def list_fixtures(bots, games):
    return list(make_schedule("round-robin", bots, games).fixtures)


@given(fields, lengths)
def test_each_pairing_plays_equally_often_with_each_colour(bots, games):
    seen = Counter((game.red, game.blue) for game in list_fixtures(bots, games))
    assert seen == dict.fromkeys(permutations(bots, 2), games // 2)


@given(fields, lengths)
def test_ids_are_unique_and_safe_as_file_names(bots, games):
    ids = [game.id for game in list_fixtures(bots, games)]
    assert len(set(ids)) == len(ids)
    assert not any(set(game_id) & set("/\\ '\"*?$&|;<>()") for game_id in ids)


@given(fields, lengths)
def test_a_bot_has_one_opponent_in_a_round(bots, games):
    meetings = {}
    for game in list_fixtures(bots, games):
        meetings.setdefault(game.round, set()).add(frozenset((game.red, game.blue)))
    for pairings in meetings.values():
        assert len(set().union(*pairings)) == 2 * len(pairings) == len(bots) - len(bots) % 2
    odd = len(bots) % 2
    assert sorted(meetings) == list(range(1, (len(bots) - 1 + odd) * games // 2 + 1))


@given(fields, lengths)
def test_every_pairing_has_its_pair_before_any_has_the_next(bots, games):
    schedule = list_fixtures(bots, games)
    assert [game.pair for game in schedule] == sorted(game.pair for game in schedule)
    assert [game.round for game in schedule] == sorted(game.round for game in schedule)


@given(fields, lengths)
def test_the_games_of_a_pair_are_adjacent_with_seats_swapped(bots, games):
    schedule = list_fixtures(bots, games)
    for one, other in zip(schedule[::2], schedule[1::2], strict=True):
        assert (one.red, one.blue, one.pair, one.round) == (other.blue, other.red, other.pair, other.round)


@given(fields, lengths, st.randoms(use_true_random=False))
def test_ids_stay_the_same_when_bots_or_games_are_added(bots, games, chance):
    shuffled = list(bots)
    chance.shuffle(shuffled)
    before = {game.id for game in list_fixtures(bots, games)}
    assert before == {game.id for game in list_fixtures(shuffled, games)}
    assert before < {game.id for game in list_fixtures([*bots, "newcomer"], games)}
    assert before < {game.id for game in list_fixtures(bots, games + 2)}


def test_four_bots_by_hand():
    schedule = list_fixtures(["a", "b", "c", "d"], 2)
    assert [(game.round, game.red, game.blue) for game in schedule[::2]] == [
        (1, "a", "d"),
        (1, "b", "c"),
        (2, "d", "c"),
        (2, "a", "b"),
        (3, "b", "d"),
        (3, "c", "a"),
    ]
    assert schedule[0].id == "a~d~1"


# FIDE Handbook C.05, Annex 1, 7 or 8 players: the first has white.
BERGER = """
    1-8 2-7 3-6 4-5
    8-5 6-4 7-3 1-2
    2-8 3-1 4-7 5-6
    8-6 7-5 1-4 2-3
    3-8 4-2 5-1 6-7
    8-7 1-6 2-5 3-4
    4-8 5-3 6-2 7-1
"""


def test_the_berger_table_for_eight_and_for_seven():
    table = [[tuple(pairing.split("-")) for pairing in line.split()] for line in BERGER.split("\n") if line.strip()]
    assert make_berger_table("12345678") == table
    assert make_berger_table("1234567") == [[one for one in pairings if "8" not in one] for pairings in table]


@given(fields, lengths, st.integers(1, 4))
def test_a_late_bot_never_gives_a_bot_two_opponents_in_one_round(bots, games, count):
    late = tuple(f"late-{number}" for number in range(count))
    schedule = schedule_all(make_entrants([*bots, *late], games, late=late), (), ()).fixtures
    opponents = Counter((fixture.round, bot) for fixture in schedule for bot in (fixture.red, fixture.blue))
    assert set(opponents.values()) == {2}  # both games of one pair
    assert Counter((one.red, one.blue) for one in schedule) == dict.fromkeys(
        permutations([*bots, *late], 2), games // 2
    )


@given(fields, lengths, st.integers(1, 4))
def test_late_bots_leave_the_rounds_of_the_others_as_they_were(bots, games, count):
    late = tuple(f"late-{number}" for number in range(count))
    before = {fixture.id: fixture.round for fixture in list_fixtures(bots, games)}
    after = {
        one.id: one.round for one in schedule_all(make_entrants([*late, *bots], games, late=late), (), ()).fixtures
    }
    assert before == {game_id: after[game_id] for game_id in before}


@given(fields, lengths, st.integers(1, 4))
def test_late_bots_leave_no_round_without_games(bots, games, count):
    late = tuple(f"late-{number}" for number in range(count))
    schedule = schedule_all(make_entrants([*bots, *late], games, late=late), (), ()).fixtures
    rounds = {fixture.round for fixture in schedule}
    assert rounds == set(range(1, len(rounds) + 1))
