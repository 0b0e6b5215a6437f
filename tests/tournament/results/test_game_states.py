"""The state of each stored game, compared with a count from the rows, and what follows from it: counts and ratings."""

import random

import pytest
from tournament.results.test_random_rulings import FORMATS, RandomEvent
from tournament.rulings import DECISION, FORCED, Event, disqualify, rule_game, undo_disqualification, withdraw

from arbiter.tournament.results.reader import Results


def read(path):
    with Results.read(path) as results:
        return results.snapshot()


def list_states(path):
    return {game_id: one.words for game_id, one in read(path).plan.uncounted.items()}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "club.sqlite"


def test_annulled_and_replaced_games(path):
    event = Event(path, "abc")
    event.play()
    assert list_states(path) == {}
    rule_game(path, "a~b~1", "annulled", DECISION)
    rule_game(path, "b~a~1", "replay", DECISION)
    assert list_states(path) == {"a~b~1": "annulled", "b~a~1": "replaced by b~a~1~r2"}
    assert read(path).plan.played == 5
    event.play()
    plan = read(path).plan
    assert list_states(path) == {"a~b~1": "annulled", "b~a~1": "replaced by b~a~1~r2"}
    assert (plan.played, plan.total, plan.finished) == (6, 6, True)
    rule_game(path, "b~a~1~r2", "replay", DECISION)
    assert list_states(path)["b~a~1"] == list_states(path)["b~a~1~r2"] == "replaced by b~a~1~r3"


def test_struck_games_are_rated(path):
    Event(path, "abc", withdrawn_games="strike").play(4)
    withdraw(path, "b")
    struck = {game.id for game in read(path).games if "b" in (game.red, game.blue)}
    assert list_states(path) == dict.fromkeys(struck, "struck with b")
    assert {game.id for game in read(path).rated} == {game.id for game in read(path).games}
    assert read(path).plan.played == 4


def test_games_of_matches_that_left_the_bracket(path):
    """a wins a knockout of four and is disqualified: its opponents advance, and the final is played again."""
    event = Event(path, "abcd", format="knockout")
    event.play()
    disqualify(path, "a", FORCED)
    gone = dict.fromkeys(("a~b~1", "b~a~1"), "not in the bracket")
    assert list_states(path) == gone
    plan = read(path).plan
    assert (plan.played, plan.total, plan.finished) == (4, 6, False)
    event.play()
    found = read(path)
    assert (found.plan.played, found.plan.total, found.plan.finished) == (6, 6, True)
    assert list_states(path) == gone
    assert {game.id for game in found.rated}.isdisjoint(gone)
    undo_disqualification(path, "a", FORCED)
    assert list_states(path) == dict.fromkeys(("d~b~1", "b~d~1"), "not in the bracket")
    assert read(path).plan.finished


@pytest.mark.heavy(keep=2)
@pytest.mark.slow(keep=5)
@pytest.mark.parametrize("seed", range(100))
def test_points_are_those_of_the_games_that_count(path, seed):
    chance = random.Random(seed)
    event = RandomEvent(path, list(FORMATS)[seed % len(FORMATS)], chance)
    for _ in range(5):
        event.play(chance.randrange(2, 14))
        event.rule_at_random()
        event.rule_at_random()
        found = read(path)
        plan = found.plan
        states = plan.uncounted
        stored = {game.id for game in plan.history.as_played}
        assert states.keys() <= stored
        counted = [game for game in found.games if game.id not in states]
        assert {one.id for one in found.games} | {
            key for key, one in states.items() if one.code == "replaced"
        } == stored
        table = {one.bot: one for one in plan.rank(plan.stages[0])}
        for bot, row in table.items():
            own = [game for game in counted if bot in (game.red, game.blue)]
            byes = sum(bye.points for bye in plan.byes_in(plan.stages[0]) if bye.bot == bot)
            points = sum(game.red_points if game.red == bot else game.blue_points for game in own)
            assert (row.games, row.points) == (len(own), points + byes)
