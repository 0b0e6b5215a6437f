"""Dispatcher: suspended and withdrawn bots lose by walkover, paused pairings wait."""

import pytest
from msgspec.structs import replace
from tournament.stored_games import game

from arbiter.tournament.dispatcher import LONGEST_PAUSE_S, PAUSE_S, Dispatcher, Walkover
from arbiter.tournament.fixture import make_fixture
from arbiter.tournament.standings.history import History
from protocol.reasons import Both, Disqualified, Withdrawn


class FixtureList:
    """Source of listed fixtures that keeps the finished games."""

    def __init__(self, fixtures):
        self._waiting = list(fixtures)
        self.games = []

    def take(self):
        return self._waiting.pop(0) if self._waiting else None

    def add(self, game):
        self.games.append(game)


def make_fixtures(*pairs, games=4):
    """Make so many games of each pairing, one of each in turn."""
    return [make_fixture(*pair, number + 1, 1) for number in range(games) for pair in pairs]


def finish(of, winner="red", ending="flag_taken"):
    return replace(game(of.red, of.blue, winner, ending, pair=of.pair), id=of.id)


def play_all(dispatcher, *, ending="flag_taken", winner="red"):
    """Finish all games; return their ids, for walkovers with the absent seats."""
    seen = []
    while (taken := dispatcher.take()) is not None:
        if isinstance(taken, Walkover):
            seen.append((taken.fixture.id, taken.absent))
            dispatcher.add(finish(taken.fixture, None, "walkover"))
        else:
            seen.append(taken.id)
            dispatcher.add(finish(taken, winner, ending))
    return seen


def test_all_games_are_dispatched_if_nothing_is_wrong():
    source = FixtureList(make_fixtures("ab", "cd"))
    dispatcher = Dispatcher(source, suspend_after=1)
    assert play_all(dispatcher) == [one.id for one in make_fixtures("ab", "cd")]
    assert len(source.games) == 8
    assert dispatcher.held == []


def test_a_bot_plays_no_more_games_at_a_time_than_it_wants():
    dispatcher = Dispatcher(
        FixtureList(make_fixtures("ab", "ac", "bc")), is_ready=lambda bot, games: games < 1 + (bot != "a")
    )
    taken = [dispatcher.take() for _ in range(4)]
    assert [one and {one.red, one.blue} for one in taken] == [{"a", "b"}, {"b", "c"}, None, None]
    assert dispatcher.awaits_bots
    dispatcher.add(finish(taken[0]))
    assert "a" in dispatcher.take().bots.values()


def test_a_closed_dispatcher_gives_out_nothing():
    dispatcher = Dispatcher(FixtureList(make_fixtures("ab")))
    assert dispatcher.take() is not None
    dispatcher.close()
    assert dispatcher.take() is None


@pytest.mark.parametrize(("limit", "played"), [(1, 1), (2, 2), (3, 3), (0, 6)])
def test_a_bot_is_suspended_after_several_forfeits_in_a_row(limit, played):
    dispatcher = Dispatcher(FixtureList(make_fixtures("ab", games=6)), suspend_after=limit)
    seen = play_all(dispatcher, ending="timeout")
    assert seen[:played] == [f"a~b~{number + 1}" for number in range(played)]
    assert seen[played:] == [(f"a~b~{number + 1}", ("blue",)) for number in range(played, 6)]


def test_a_withdrawn_bot_plays_no_more_games():
    gone = {}
    dispatcher = Dispatcher(FixtureList(make_fixtures("ab", "cd", "bc", games=1)), ask_absent=lambda: gone)
    assert dispatcher.take().id == "a~b~1"
    gone |= {"c": Withdrawn("c"), "d": Disqualified("d")}
    both = dispatcher.take()
    assert (both.absent, both.reason) == (("red", "blue"), Both((Withdrawn("c"), Disqualified("d"))))
    one = dispatcher.take()
    assert (one.absent, one.reason) == (("blue",), Withdrawn("c"))


def test_a_pairing_is_paused_if_its_first_game_is_voided():
    fixtures = make_fixtures("ab", "cd", games=3)
    dispatcher = Dispatcher(FixtureList(fixtures))
    dispatcher.void(dispatcher.take())
    assert play_all(dispatcher) == ["c~d~1", "c~d~2", "c~d~3"]
    assert dispatcher.held == [one for one in fixtures[1:] if one.red == "a"]


def test_a_pairing_is_paused_by_two_voided_games_in_a_row():
    dispatcher = Dispatcher(FixtureList(make_fixtures("ab", games=7)))
    dispatcher.add(finish(dispatcher.take()))
    dispatcher.void(dispatcher.take())
    dispatcher.add(finish(dispatcher.take()))
    dispatcher.void(dispatcher.take())
    dispatcher.void(dispatcher.take())
    assert dispatcher.take() is None
    assert [one.id for one in dispatcher.held] == ["a~b~6", "a~b~7"]


def test_a_pairing_includes_both_colours():
    dispatcher = Dispatcher(FixtureList([make_fixture("b", "a", 1, 1)]))
    dispatcher.void(make_fixture("a", "b", 1, 1))
    assert dispatcher.take() is None


def test_games_of_earlier_runs_count_as_make_fixtures():
    fixtures = make_fixtures("ab", games=2)
    dispatcher = Dispatcher(
        FixtureList(fixtures[1:]), History((replace(finish(fixtures[0]), winner=None, ending="ply_limit"),))
    )
    dispatcher.void(fixtures[1])
    assert not dispatcher.is_paused(fixtures[1])


def test_a_voided_game_of_a_ladder_is_played_again_after_a_pause():
    now = [0.0]
    fixtures = make_fixtures("ab", "cd", games=2)
    dispatcher = Dispatcher(FixtureList(fixtures), retries=True, clock=lambda: now[0])
    first = dispatcher.take()
    dispatcher.void(first)
    assert play_all(dispatcher) == ["c~d~1", "c~d~2"]
    assert dispatcher.held == [first, fixtures[2]]
    assert dispatcher.awaits_pauses
    now[0] += PAUSE_S
    dispatcher.void(dispatcher.take())
    now[0] += PAUSE_S
    assert dispatcher.take() is None
    now[0] += PAUSE_S
    assert {dispatcher.take().id for _ in range(2)} == {one.id for one in dispatcher._in_progress.values()}
    assert dispatcher.held == []


def test_a_run_does_not_wait_for_a_pairing_whose_games_are_always_voided():
    now = [0.0]
    dispatcher = Dispatcher(FixtureList(make_fixtures("ab", games=1)), retries=True, clock=lambda: now[0])
    voided = 0
    while voided == 0 or dispatcher.awaits_pauses:
        dispatcher.void(dispatcher.take())
        voided += 1
        now[0] += LONGEST_PAUSE_S
    assert 1 < voided < 10
    assert dispatcher.take() is not None
