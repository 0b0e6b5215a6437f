from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tournament.schedules import make_entrants, make_schedule
from tournament.stored_games import games

from arbiter.errors import ConfigError
from arbiter.tournament.schedule import FORMATS

NAMES = [f"bot-{number}.x" for number in range(12)]
fields = st.integers(2, 12).flatmap(
    lambda size: st.tuples(st.just(NAMES[:size]), st.permutations(NAMES[:size]), st.integers(1, size - 1))
)
GAUNTLET = FORMATS["gauntlet"]


def list_fixtures(bots, challengers, length=2):
    return list(make_schedule("gauntlet", bots, length, challengers=tuple(challengers)).fixtures)


@given(fields, st.integers(1, 3))
def test_only_challengers_play_all_others_with_each_colour(entered, pairs):
    bots, order, count = entered
    challengers, others = order[:count], order[count:]
    played = list_fixtures(bots, challengers, 2 * pairs)
    seen = Counter((game.red, game.blue) for game in played)
    wanted = [(one, other) for one in challengers for other in others]
    assert seen == dict.fromkeys([*wanted, *((other, one) for one, other in wanted)], pairs)
    assert len({game.id for game in played}) == len(played)
    assert [game.pair for game in played] == [game.round for game in played] == sorted(game.pair for game in played)


def test_two_challengers_by_hand():
    assert [game.id for game in list_fixtures("abcd", "ca")] == [
        *("c~b~1", "b~c~1", "a~b~1", "b~a~1"),
        *("c~d~1", "d~c~1", "a~d~1", "d~a~1"),
    ]


def test_the_total_is_known_from_the_start():
    assert make_schedule("gauntlet", "abcd", 6, challengers=("a",)).total == 18


@pytest.mark.parametrize(
    ("challengers", "complaint"),
    [
        ((), 'challengers: is missing; list the bots that play all others, as in ["mine"]'),
        (("x",), "challengers: 'x' does not play in this tournament; the bots are a, b"),
        (("a", "a"), "challengers: 'a' is listed twice"),
        (("a", "b"), "challengers: all bots are listed; leave out those that they play against"),
    ],
)
def test_invalid_challengers(challengers, complaint):
    with pytest.raises(ConfigError) as caught:
        GAUNTLET.check(make_entrants("ab", form="gauntlet", challengers=challengers))
    assert str(caught.value) == complaint


def test_a_bot_is_not_ranked_higher_for_playing_more_games():
    played = games("a b 1-0\na c 0-1\na d 0-1\na e 1/2\nb a 1/2\nc a 1-0", "simple")
    table = GAUNTLET.rank(make_entrants("abcde", form="gauntlet", challengers=("a",)), played, ())
    assert [(line.bot, line.points, line.games) for line in table] == [
        ("c", 2, 2),
        ("d", 1, 1),
        ("e", 0.5, 1),
        ("a", 2, 6),
        ("b", 0.5, 2),
    ]
    assert [line.tie_breaks["average"] for line in table] == [1, 1, 0.5, 0.333333, 0.25]
