"""Players in the arbiter's own process: off the clock, without a process, and never delaying the end of a game."""

import threading

import pytest
import trio
from msgspec.structs import replace
from referee.local_conversations import any_action, player
from referee.real_games import bot, count_descriptors, make_spec, play

from arbiter.clock import TimeSettings
from arbiter.games.ruleset import Overrides
from arbiter.referee.game import play_game
from arbiter.sandbox.process import ProcessIsolation
from protocol.bot import new_session
from protocol.codec import decode_later_arbiter_line, encode

pytestmark = pytest.mark.usefixtures("adopting")
BRIEF = Overrides(no_attack_plies=0, max_plies=6)


def test_a_player_in_a_thread_plays_without_a_clock():
    played = play(player(), bot(), overrides=BRIEF)
    assert played.outcome == ("ply_limit", None)
    assert [act.ms for act in played.acts if act.seat == "red"] == [0.0] * 4
    assert played.record.header.seats["red"].program == "guest"


def test_a_player_in_a_thread_is_never_late():
    hurried = TimeSettings(start_s=20, setup_s=0, bank_s=0, increment_s=0, margin_ms=0)
    assert play(bot("late"), player(), time=replace(hurried, setup_s=20), overrides=BRIEF).outcome == (
        "timeout",
        "blue",
    )
    assert play(player(), player(), time=hurried, overrides=BRIEF).outcome == ("ply_limit", None)


def test_an_exception_of_a_player_in_a_thread_is_no_forfeit():
    def fail(turn):
        raise ZeroDivisionError

    with pytest.RaisesGroup(ZeroDivisionError, flatten_subgroups=True):
        play(player(fail), player())


def test_a_player_in_a_thread_that_leaves_loses():
    def leave(source, sink):
        for line in source:
            if b'"hello"' in line:
                sink.write(encode(new_session(any_action, name="guest").receive(decode_later_arbiter_line(line))))
            if b'"ask"' in line:
                return

    played = play(leave, bot())
    assert played.outcome == ("crash", "blue")
    assert "left the game" in played.result.why


def test_a_cancelled_game_does_not_wait_for_a_player_in_a_thread():
    before = count_descriptors()
    key = threading.Event()
    left = threading.Event()

    async def main():
        with trio.CancelScope() as scope:

            def wait(turn):
                trio.from_thread.run_sync(scope.cancel)
                key.wait(60)
                return any_action(turn)

            def converse(source, sink):
                try:
                    player(wait)(source, sink)
                finally:
                    left.set()

            await play_game(make_spec(converse, bot()), ProcessIsolation())
        assert scope.cancelled_caught

    trio.run(main)
    key.set()
    assert left.wait(20)
    assert count_descriptors() <= before + 2  # the thread may still be closing its own two ends
