"""Which games of a schedule are let through: bots in trouble forfeit, pairings in trouble wait."""

import pytest
from msgspec.structs import replace

from arbiter.tournament.dispatcher import Dispatcher, Walkover
from arbiter.tournament.fixture import make_fixture
from arbiter.tournament.standings.stored_game import StoredGame


class Listed:
    """Fixtures one after the other, and the games that came of them."""

    def __init__(self, fixtures):
        self._waiting = list(fixtures)
        self.games = []

    def take(self):
        return self._waiting.pop(0) if self._waiting else None

    def add(self, game):
        self.games.append(game)


def meetings(*pairs, games=4):
    """Return so many games of each pairing, one of each in turn."""
    return [make_fixture(*pair, number + 1, 1) for number in range(games) for pair in pairs]


def game(of, winner="red", ending="flag_taken", started="2026-01-01T00:00:00+00:00"):
    return StoredGame(
        id=of.id,
        round=1,
        pair=of.pair,
        red=of.red,
        blue=of.blue,
        winner=winner,
        ending=ending,
        why="",
        plies=10,
        red_points=1,
        blue_points=0,
        started=started,
        seconds=1,
    )


def drained(gate, *, ending="flag_taken", winner="red"):
    """Play all that the gate lets through; return what each turned out to be."""
    seen = []
    while (taken := gate.take()) is not None:
        if isinstance(taken, Walkover):
            seen.append((taken.fixture.id, taken.absent))
            gate.add(game(taken.fixture, None, "walkover"))
        else:
            seen.append(taken.id)
            gate.add(game(taken, winner, ending))
    return seen


def test_everything_passes_where_nothing_is_wrong():
    listed = Listed(meetings("ab", "cd"))
    gate = Dispatcher(listed, suspend_after=1)
    assert drained(gate) == [one.id for one in meetings("ab", "cd")]
    assert len(listed.games) == 8
    assert gate.held == []


def test_nothing_passes_once_it_is_closed():
    gate = Dispatcher(Listed(meetings("ab")))
    assert gate.take() is not None
    gate.close()
    assert gate.take() is None


@pytest.mark.parametrize(("limit", "played"), [(1, 1), (2, 2), (3, 3), (0, 6)])
def test_a_bot_that_forfeits_so_often_running_is_suspended(limit, played):
    gate = Dispatcher(Listed(meetings("ab", games=6)), suspend_after=limit)
    seen = drained(gate, ending="timeout")
    assert seen[:played] == [f"a~b~{number + 1}" for number in range(played)]
    assert seen[played:] == [(f"a~b~{number + 1}", ("blue",)) for number in range(played, 6)]
    assert gate.is_suspended("b") is (limit > 0)
    assert not gate.is_suspended("a")


def test_a_game_without_a_forfeit_begins_the_count_anew():
    games = meetings("ab", games=5)
    endings = ["timeout", "flag_taken", "crash", "timeout"]
    gate = Dispatcher(
        Listed(games[4:]),
        [game(one, "red", ending) for one, ending in zip(games, endings, strict=False)],
        suspend_after=3,
    )
    assert gate.take() == games[4]
    gate.add(game(games[4], "red", "protocol"))
    assert gate.is_suspended("b")


def test_what_was_played_before_counts_in_the_order_in_which_it_was_played():
    games = meetings("ab", games=3)
    stored = [
        game(games[0], "red", "flag_taken", "2026-01-01T00:00:09+00:00"),
        game(games[1], "red", "timeout", "2026-01-01T00:00:01+00:00"),
        game(games[2], "red", "timeout", "2026-01-01T00:00:02+00:00"),
    ]
    assert not Dispatcher(Listed([]), stored, suspend_after=2).is_suspended("b")
    assert Dispatcher(Listed([]), stored[1:], suspend_after=2).is_suspended("b")


def test_walkovers_do_not_count_so_that_a_higher_limit_lets_a_bot_play_again():
    games = meetings("ab", games=9)
    stored = [game(one, "red", "timeout") for one in games[:2]] + [game(one, "red", "walkover") for one in games[2:8]]
    assert Dispatcher(Listed([]), stored, suspend_after=2).is_suspended("b")
    assert not Dispatcher(Listed([]), stored, suspend_after=3).is_suspended("b")


def test_who_is_withdrawn_plays_no_more_from_the_moment_it_is_said():
    gone = set()
    gate = Dispatcher(Listed(meetings("ab", "cd", "bc", games=1)), ask_withdrawn=lambda: gone)
    assert gate.take().id == "a~b~1"
    gone |= {"c", "d"}
    both = gate.take()
    assert (both.absent, both.why) == (("red", "blue"), "c was withdrawn; d was withdrawn")
    one = gate.take()
    assert (one.absent, one.why) == (("blue",), "c was withdrawn")


def test_a_pairing_whose_first_game_comes_to_nothing_is_paused_and_the_others_go_on():
    fixtures = meetings("ab", "cd", games=3)
    gate = Dispatcher(Listed(fixtures))
    gate.void(gate.take())
    assert drained(gate) == ["c~d~1", "c~d~2", "c~d~3"]
    assert gate.held == [one for one in fixtures[1:] if one.red == "a"]


def test_a_pairing_is_paused_by_two_void_games_running():
    gate = Dispatcher(Listed(meetings("ab", games=7)))
    gate.add(game(gate.take()))
    gate.void(gate.take())
    gate.add(game(gate.take()))
    gate.void(gate.take())
    gate.void(gate.take())
    assert gate.take() is None
    assert [one.id for one in gate.held] == ["a~b~6", "a~b~7"]


def test_colours_make_no_other_pairing():
    gate = Dispatcher(Listed([make_fixture("b", "a", 1, 1)]), [])
    gate.void(make_fixture("a", "b", 1, 1))
    assert gate.take() is None


def test_who_met_in_another_run_has_met():
    fixtures = meetings("ab", games=2)
    gate = Dispatcher(Listed(fixtures[1:]), [replace(game(fixtures[0]), winner=None, ending="ply_limit")])
    gate.void(fixtures[1])
    assert not gate.is_paused(fixtures[1])
