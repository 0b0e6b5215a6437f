"""The lag monitor and the late answers that it excuses, in simulated time."""

import pytest
import trio
from msgspec.structs import replace
from referee.fake_bots import Brain, FakeBot
from referee.games_in_memory import TIME, play_bots
from trio.testing import MockClock

from arbiter.referee.lag import LagMonitor, lag_monitor


def stall(*jumps_s):
    """Let time jump while the monitor runs; return the longest stalls that it measured."""
    clock = MockClock(autojump_threshold=0)

    async def main():
        ours = lag_monitor()
        begun = trio.current_time()
        for seconds in jumps_s:
            await trio.sleep(1)
            clock.jump(seconds)
            await trio.lowlevel.checkpoint()
        now = trio.current_time()
        await trio.sleep(1)
        return ours.longest_ms(begun), ours.longest_ms(now), ours.longest_ms(now - 0.1)

    return trio.run(main, clock=clock)


def test_no_stall_is_measured_while_the_loop_runs():
    assert stall() == (0, 0, 0)
    assert stall(0.004) == (0, 0, 0)


def test_the_longest_stall_counts_and_not_their_sum():
    longest, after, part = stall(0.3, 0.2, 0.25)
    assert 300 <= longest <= 330
    assert after == 0
    assert part == pytest.approx(100)


def test_a_stall_before_the_next_beat_counts():
    clock = MockClock(autojump_threshold=0)

    async def main():
        ours = lag_monitor()
        begun = trio.current_time()
        await trio.sleep(1)
        clock.jump(0.5)
        return ours.longest_ms(begun)

    assert 500 <= trio.run(main, clock=clock) <= 530


def test_there_is_one_monitor_for_each_run():
    async def main():
        return lag_monitor() is lag_monitor()

    assert trio.run(main)


def test_a_monitor_that_was_not_started_measures_nothing():
    async def main():
        await trio.lowlevel.checkpoint()
        return LagMonitor().longest_ms(0)

    assert trio.run(main) == 0


def late_while_stalled(answer_s, stalled_s, *, at=2, **time):
    """Let red answer after some time while the loop stalls from the question on."""
    clock = MockClock(autojump_threshold=0)
    brain = Brain("red", takes_s={at: max(0.0, answer_s - stalled_s)})

    def busy(message):
        if message.get("ask") == at:
            clock.jump(stalled_s)
        return brain(message)

    bots = {"red": FakeBot(busy), "blue": FakeBot(Brain("blue"))}
    return play_bots(bots, clock=clock, time=replace(TIME, **time), with_lag_monitor=True)


# seconds until the answer, seconds of them that the arbiter stalled, ending
CASES = [
    (9.9, 0, "no_attack_limit"),
    (10.1, 0, "timeout"),
    (10.1, 0.02, "timeout"),
    (10.1, 0.3, "void"),
    (10.34, 0.3, "void"),
    (10.06, 11, "void"),
    (30, 0.3, "void"),
]


@pytest.mark.parametrize(("answer_s", "stalled_s", "ending"), CASES)
def test_a_timeout_while_the_loop_stalled_is_void(answer_s, stalled_s, ending):
    game = late_while_stalled(answer_s, stalled_s)
    assert game.result.ending == ending


@pytest.mark.parametrize("at", [1, 2])
def test_both_receive_void(at):
    game = late_while_stalled(20.3, 21, at=at, bank_s=20, setup_s=20)
    assert game.outcome == ("void", None)
    assert "the arbiter stalled for 21" in game.result.why
    for seat in ("red", "blue"):
        assert game.over(seat)["result"] == game.over(seat)["ending"] == "void"


def test_a_stall_shorter_than_the_margin_is_no_excuse():
    assert late_while_stalled(10.6, 0.4, margin_ms=500).result.ending == "timeout"


def test_a_late_start_while_the_loop_stalled_is_void():
    clock = MockClock(autojump_threshold=0)
    brain = Brain("red", takes_s={})

    def busy(message):
        if message["type"] == "hello":
            clock.jump(6)
        return brain(message)

    game = play_bots({"red": FakeBot(busy), "blue": FakeBot(Brain("blue"))}, clock=clock, with_lag_monitor=True)
    assert game.outcome == ("void", None)
