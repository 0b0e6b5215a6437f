"""Fixtures are computed one at a time: places, counts and memory."""

import tracemalloc
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tournament.schedules import finish, make_schedule

from arbiter.tournament.fixture import Fixtures, Meeting, Round
from arbiter.tournament.schedule.format import FinishedGames

MEETINGS = (Meeting("a", "b", 1), Meeting("c", "d", 1, 3, 2), Meeting("a", "c", 2, step=1))
MEBIBYTE = 1 << 20


@given(st.integers(1, 3), st.integers(1, 2), st.integers(0, 3))
def test_places_and_counts_are_those_of_the_list(pairs, stage, meetings):
    fixtures = Fixtures(MEETINGS[:meetings], pairs, stage)
    listed = list(fixtures)
    assert len(fixtures) == len(listed) == len({fixture.id for fixture in listed})
    assert [fixtures.find(fixture.id) for fixture in listed] == list(range(len(listed)))
    games = Counter(bot for fixture in listed for bot in (fixture.red, fixture.blue))
    assert {bot: fixtures.count_games(bot) for bot in "abcde"} == {bot: games[bot] for bot in "abcde"}
    assert fixtures.last_round == max((fixture.round for fixture in listed), default=fixtures.last_round)


@given(st.integers(1, 3), st.integers(1, 2), st.integers(1, 2), st.randoms(), st.floats(0, 1))
def test_games_are_selected_in_the_order_of_the_list(pairs, stage, pair_size, chance, share):
    fixtures = Fixtures(MEETINGS, pairs, stage, pair_size)
    others = Fixtures((Meeting("a", "b", 1, 7), Meeting("x", "b", 1)), 2, stage=3 - stage)
    finished = [
        finish(fixture, "red") for fixtures in (fixtures, others) for fixture in fixtures if chance.random() < share
    ]
    chance.shuffle(finished)
    own = {game.id: game for game in finished}
    expected = [own[fixture.id] for fixture in fixtures if fixture.id in own]
    assert FinishedGames(finished).select([Round(fixtures)]) == expected


STRANGE = ("", "a~b", "a~b~c", "a~b~0", "a~b~01", "a~b~3", "s1~a~b~1", "s2~a~b~1", "b~d~1", "c~d~1", "x~b~1", "../a~b~1")  # fmt: skip


@pytest.mark.parametrize("game_id", [*STRANGE, "a~b~1\n", f"a~b~{'9' * 5000}"], ids=lambda game_id: game_id[:9])
def test_other_games_have_no_place(game_id):
    fixtures = Fixtures(MEETINGS, 2)
    assert fixtures.find("a~b~1") == 0
    assert fixtures.find(game_id) is None
    game = replace(finish(next(iter(fixtures)), "red"), id=game_id)
    assert FinishedGames([game]).select([Round(fixtures)]) == []


@pytest.mark.parametrize(
    ("form", "games_of_first_round", "settings"),
    [
        ("round-robin", 190_000_000, {}),
        ("gauntlet", 19_000_000, {"challengers": ("bot-1",)}),
        ("swiss", 10_000_000, {}),
        ("knockout", 4_000_000, {}),
    ],
)
def test_millions_of_games_take_no_memory_before_they_are_played(form, games_of_first_round, settings):
    bots = [f"bot-{number}" for number in range(1, 21)]
    make_schedule(form, bots, 2, **settings)  # imports what it needs
    tracemalloc.start()
    schedule = make_schedule(form, bots, 1_000_000, **settings)
    for _ in range(100):
        schedule.add(finish(schedule.take(), "red"))
    standings = schedule.rank(schedule.stages[-1])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(schedule.stages[-1].rounds[-1].fixtures) == games_of_first_round
    assert sum(line.games for line in standings) == 200
    assert schedule.total >= games_of_first_round
    assert peak < 4 * MEBIBYTE
