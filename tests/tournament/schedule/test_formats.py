"""Properties of every format: resumed after any games, in any order, it continues as if it had never stopped."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tournament.schedules import ROUND_FORMATS, make_schedule, play_games
from tournament.stored_games import game

BOTS = tuple("abcdefg")
SETTINGS = {"gauntlet": {"challengers": ("c", "a")}, "swiss": {"rounds": 3}, "knockout": {"further_pairs": 1}}
formats = st.sampled_from(ROUND_FORMATS)


def begin(form, size, played=()):
    return make_schedule(form, BOTS[:size], 4, played, **SETTINGS.get(form, {}))


@settings(max_examples=40)
@given(formats, st.integers(4, 7), st.randoms(use_true_random=False))
def test_every_game_has_a_counterpart_with_colours_swapped(form, size, chance):
    schedule = begin(form, size)
    played = play_games(schedule, chance)
    assert schedule.finished
    assert Counter(one.id for one in played) == Counter(fixture.id for fixture in schedule.fixtures)
    assert len(played) == schedule.total
    seen = Counter((fixture.red, fixture.blue, fixture.pair, fixture.round) for fixture in schedule.fixtures)
    assert set(seen.values()) == {1}
    assert all((blue, red, pair, round_) in seen for red, blue, pair, round_ in seen)


@settings(max_examples=8)
@given(formats, st.integers(4, 7), st.randoms(use_true_random=False), st.data())
def test_a_killed_tournament_is_resumed_as_if_it_had_not_stopped(form, size, chance, data):
    whole = begin(form, size)
    total = len(play_games(whole, chance))
    kept = []
    while len(kept) < total:
        schedule = begin(form, size, kept)
        chance.shuffle(kept)
        assert not schedule.finished
        kept += play_games(schedule, chance, data.draw(st.integers(1, total)))
    assert begin(form, size, kept).finished
    assert [fixture.id for fixture in begin(form, size, kept).fixtures] == [fixture.id for fixture in whole.fixtures]


@settings(max_examples=40)
@given(formats, st.integers(4, 7), st.randoms(use_true_random=False), st.integers(0, 40))
def test_partial_results_are_balanced(form, size, chance, most):
    schedule = begin(form, size)
    played = play_games(schedule, chance, most)
    pairings = {frozenset((one.red, one.blue)) for one in schedule.stages[0].rounds[-1].fixtures}
    done = Counter(frozenset((one.red, one.blue)) for one in played)
    assert max(done[one] for one in pairings) - min(done[one] for one in pairings) <= 4


@pytest.mark.parametrize("form", ROUND_FORMATS)
def test_a_missing_game_blocks_the_rounds_after_it(form):
    schedule = begin(form, 4)
    while schedule.take():
        pass
    assert not schedule.finished
    assert schedule.take() is None


@pytest.mark.timeout(60)
def test_many_games_are_scheduled_in_linear_time():
    schedule = make_schedule("round-robin", ["a", "b"], 40_000)
    while fixture := schedule.take():
        schedule.add(game(fixture.red, fixture.blue, "red", "flag_taken", pair=fixture.pair))
    assert schedule.finished
