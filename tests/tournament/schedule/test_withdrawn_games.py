"""Games of withdrawn bots: kept or struck."""

import pytest
from msgspec.structs import replace
from tournament.schedules import first_name_wins
from tournament.stored_games import games
from tournament.tournaments import manifest

from arbiter.tournament.standings.history import History
from arbiter.tournament.standings.stored_game import Ruling
from protocol.reasons import Stated

PLAYED = games("a b 1-0\nb a 1-0\na c 1-0\nb c 1/2\nc b 0-1")
WALKOVERS = [replace(one, ending="walkover", plies=0) for one in games("c a 0-1")]


def list_withdrawals(bots):
    about = {"at": "2026-11-22T08:00:00+00:00", "by": "ann", "reason": Stated("ill")}
    return tuple(Ruling(number=number, kind="withdraw", bot=bot, **about) for number, bot in enumerate(bots, 1))


def rank(gone, rule="half", played=(*PLAYED, *WALKOVERS), form="round-robin"):
    """Rank three bots that play two games of each pairing; return each one's games, points and `withdrawn`."""
    ids = {"a~b": "a~b~1", "b~a": "b~a~1", "a~c": "a~c~1", "c~a": "c~a~1", "b~c": "b~c~1", "c~b": "c~b~1"}
    named = [replace(one, id=ids[f"{one.red}~{one.blue}"], pair=1) for one in played]
    history = History(tuple(named), list_withdrawals(gone))
    plan = manifest(("a", "b", "c"), games=2, withdrawn_games=rule, format=form).schedule(history)
    return {one.bot: (one.games, one.points, one.withdrawn) for one in plan.rank(plan.stages[-1])}


@pytest.mark.parametrize("rule", ["half", "keep", "strike"])
def test_all_games_count_if_no_bot_is_withdrawn(rule):
    assert {bot: (games, expected) for bot, (games, _, expected) in rank(frozenset(), rule).items()} == {
        "a": (4, None),
        "b": (4, None),
        "c": (4, None),
    }


def test_games_of_a_bot_that_played_half_of_them_are_kept():
    assert rank({"c"})["c"][2] == "kept"
    assert rank({"c"})["a"][0] == 4


def test_games_of_a_bot_that_played_less_are_struck():
    table = rank({"c"}, played=(PLAYED[0], PLAYED[1], PLAYED[2], *WALKOVERS))
    assert table["c"] == (0, 0, "struck")
    assert (table["a"][0], table["b"][0]) == (2, 2)


@pytest.mark.parametrize(("rule", "expected"), [("keep", "kept"), ("strike", "struck")])
def test_other_rules_for_withdrawn_games(rule, expected):
    assert rank({"b"}, rule)["b"][2] == expected
    assert rank({"b"}, rule)["b"][0] == (0 if expected == "struck" else 4)


def test_standings_follow_games_and_withdrawals_during_a_run():
    plan = manifest(("a", "b", "c"), games=2, withdrawn_games="strike").schedule()

    def count_games():
        return {one.bot: (one.games, one.withdrawn) for one in plan.rank(plan.stages[0])}

    assert count_games() == {"a": (0, None), "b": (0, None), "c": (0, None)}
    played = [first_name_wins(plan.take()) for _ in range(2)]
    plan.add(played[0])
    before = count_games()
    assert sum(games for games, _ in before.values()) == 2
    plan.add(played[1])
    assert sum(games for games, _ in count_games().values()) == 4
    history = History(tuple(played))
    plan.restart(replace(history, rulings=list_withdrawals(played[0].red)))
    assert count_games()[played[0].red][1] == "struck"
    stage = plan.stages[0]
    assert plan.counted_games_in(stage) == [game for game in played if played[0].red not in (game.red, game.blue)]
    assert set(plan.games_in(stage)) == set(played)
    plan.restart(history)
    assert sum(games for games, _ in count_games().values()) == 4
