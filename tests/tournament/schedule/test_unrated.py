"""The queue of unrated matches: they take turns with the games of a ladder, and wait for absent bots."""

from tournament.schedules import finish, finish_by_id, make_schedule

from arbiter.tournament.dispatcher import Dispatcher
from arbiter.tournament.fixture import find_stage, is_unrated_id, make_id, parse_id
from arbiter.tournament.schedule.unrated import MatchQueue, ask_for_match

BOTS = ("a", "b", "c", "d")


def ask(results, one, two, games=2, stored=()):
    return ask_for_match(results, [one, two], games, by="ann", known=BOTS, has=lambda game: game in stored)


def begin(tmp_path, stored=(), **keys):
    queue = MatchQueue(make_schedule("ladder", BOTS, **keys), tmp_path / "ladder.sqlite", lambda game: game in stored)
    return queue, tmp_path / "ladder.sqlite"


def test_a_pair_of_a_match_is_played_after_each_pair_of_the_ladder(tmp_path):
    queue, results = begin(tmp_path)
    ask(results, "a", "b", 4)
    ask(results, "c", "d")
    taken = [queue.take() for _ in range(16)]
    unrated = [one.id if one.is_unrated else "" for one in taken]
    first = [["m1~a~b~1", "m1~b~a~1"], ["m2~c~d~1", "m2~d~c~1"], ["m1~a~b~2", "m1~b~a~2"]]
    assert unrated == [*first[0], "", "", *first[1], "", "", *first[2], *[""] * 6]
    ask(results, "a", "d")
    assert queue.take().id == "m3~a~d~1"


def test_matches_are_played_if_the_ladder_has_no_games(tmp_path):
    queue, results = begin(tmp_path, max_games=2)
    for _ in range(2):
        ask(results, "a", "b")
    taken = []
    while fixture := queue.take():
        taken.append(fixture)
        queue.add(finish_by_id(fixture))
    assert sum(not one.is_unrated for one in taken) == 2
    assert len(taken) == 6


def test_a_match_waits_for_an_absent_bot_and_lets_others_pass(tmp_path):
    queue, results = begin(tmp_path)
    queue.is_ready = lambda bot: bot != "a"
    ask(results, "a", "b")
    ask(results, "c", "d")
    assert queue.take().id == "m2~c~d~1"
    queue.is_ready = lambda _bot: True
    assert [queue.take().id for _ in range(4)][-1] == "m1~a~b~1"


def test_stored_games_are_not_played_again(tmp_path):
    queue, results = begin(tmp_path, stored={"m1~a~b~1"})
    ask(results, "a", "b", 4)
    taken = [queue.take() for _ in range(7)]
    assert [one.id for one in taken if one.is_unrated] == ["m1~b~a~1", "m1~a~b~2", "m1~b~a~2"]


def test_unrated_games_suspend_no_bot_and_pause_no_pairing(tmp_path):
    queue, results = begin(tmp_path)
    for _ in range(6):
        ask(results, "a", "b")
    dispatcher = Dispatcher(queue, suspend_after=2)
    for _ in range(12):
        fixture = dispatcher.take()
        if fixture.is_unrated:
            dispatcher.add(finish(fixture, "red", "crash"))
    assert not dispatcher._suspensions.is_suspended("b")
    dispatcher.void(next(iter(dispatcher._in_progress.values())))
    unrated = next(one for _ in range(12) if (one := dispatcher.take()).is_unrated)
    dispatcher.void(unrated)
    rated = next(one for _ in range(30) if (one := dispatcher.take()) and not one.is_unrated)
    assert not dispatcher.is_paused(rated)


def test_ids_of_unrated_games_are_those_of_no_other_game():
    unrated = make_id("a", "b", 1, -3)
    assert (unrated, is_unrated_id(unrated), parse_id(unrated)) == ("m3~a~b~1", True, None)
    for game in ("m3~b~1", "m3~b~1~r2", "s2~m3~b~1", "a~b~1"):
        assert not is_unrated_id(game), game
        assert find_stage(game) == (2 if game.startswith("s2") else 1)
