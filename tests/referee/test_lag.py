"""The lag monitor and the late answers that it excuses, in simulated time."""

import pytest
import trio
from msgspec.structs import replace
from referee.fake_bots import Brain, FakeBot
from referee.games_in_memory import TIME, play_bots
from trio.testing import MockClock

from arbiter.referee.timer import LagMonitor, lag_monitor


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


# seconds until the answer, seconds of them that the arbiter stalled; ending, and the seconds that were charged
CASES = [
    (9.9, 0, "no_attack_limit", 9.9),
    (10.1, 0, "timeout", None),
    (10.1, 0.02, "timeout", None),
    (10.1, 0.3, "no_attack_limit", 9.8),
    (10.3, 0.3, "no_attack_limit", 10.0),
    (10.4, 0.3, "timeout", None),
    (11.0, 11, "no_attack_limit", 0.0),
    (21.0, 11, "no_attack_limit", 10.0),
    (21.2, 11, "timeout", None),
    (30, 0.3, "timeout", None),
    (5, 3, "no_attack_limit", 2),
]


@pytest.mark.parametrize(("answer_s", "stalled_s", "ending", "charged_s"), CASES)
def test_a_stall_extends_the_time_of_an_answer_and_is_not_charged(answer_s, stalled_s, ending, charged_s):
    game = late_while_stalled(answer_s, stalled_s)
    assert game.result.ending == ending
    if charged_s is not None:
        assert game.acts[2].ms == pytest.approx(1000 * charged_s, abs=40)
        assert game.excused["red"] == (answer_s > 10.05)


@pytest.mark.parametrize("stalled_s", [0, 0.3, 3, 30])
@pytest.mark.parametrize("at", [1, 2])
def test_a_silent_bot_loses_on_time_whatever_the_loop_did(stalled_s, at):
    game = late_while_stalled(1_000_000, stalled_s, at=at)
    assert game.outcome == ("timeout", "blue")
    assert game.seconds < 10 + 20 + 1.1 * stalled_s + 1


def test_several_stalls_extend_the_time_only_by_the_longest():
    for answer_s, ending in ((12.9, "no_attack_limit"), (13.3, "timeout")):
        game = late_after_stalls(answer_s, (1.0, 3.0, 2.0))
        assert game.result.ending == ending
    assert late_after_stalls(1e6, (0.045,) * 60, gap_s=0.2).outcome == ("timeout", "blue")


def test_a_stall_after_the_time_is_over_extends_it_no_more():
    assert late_after_stalls(11.0, (1.0, 2.0), gap_s=9.8).result.ending == "timeout"
    assert late_after_stalls(11.0, (1.0,)).result.ending == "no_attack_limit"


def late_after_stalls(answer_s, stalls_s, *, gap_s=0.5):
    """Let red answer its first turn after some time, in which the loop stalls several times."""
    clock = MockClock(autojump_threshold=0)
    brain = Brain("red", takes_s={2: answer_s})

    async def stall():
        for seconds in stalls_s:
            clock.jump(seconds)
            await trio.sleep(gap_s)

    def begin(message):
        if message.get("ask") == 2:
            trio.lowlevel.spawn_system_task(stall)
        return brain(message)

    bots = {"red": FakeBot(begin), "blue": FakeBot(Brain("blue"))}
    return play_bots(bots, clock=clock, time=TIME, with_lag_monitor=True)


@pytest.mark.parametrize("at", [1, 2])
def test_a_game_goes_on_after_a_long_stall(at):
    game = late_while_stalled(20.3, 21, at=at, bank_s=20, setup_s=20)
    assert game.result.ending == "no_attack_limit"


def test_a_stall_shorter_than_the_margin_is_no_excuse():
    assert late_while_stalled(10.6, 0.4, margin_ms=500).result.ending == "timeout"
    assert late_while_stalled(10.4, 0.4, margin_ms=500).acts[2].ms == pytest.approx(10_400)


@pytest.mark.parametrize(("answer_s", "outcome"), [(5.9, "no_attack_limit"), (12.1, "no_start"), (1e6, "no_start")])
def test_a_stall_extends_the_time_to_start(answer_s, outcome):
    clock = MockClock(autojump_threshold=0)
    brain = Brain("red", takes_s={})

    def busy(message):
        if message["type"] == "hello":
            clock.jump(6)
            return answer_s - 6, brain(message)
        return brain(message)

    game = play_bots({"red": FakeBot(busy), "blue": FakeBot(Brain("blue"))}, clock=clock, with_lag_monitor=True)
    assert game.result.ending == outcome
    assert "was not ready within 5 s" in game.result.why or outcome != "no_start"


@pytest.mark.parametrize(
    ("reads_after_s", "ending"), [(0.9, "no_attack_limit"), (3.9, "no_attack_limit"), (4.3, "timeout")]
)
def test_a_stall_extends_the_time_to_read(reads_after_s, ending):
    clock = MockClock(autojump_threshold=0)
    red = FakeBot(Brain("red", wants=["news"]))
    write = red.write

    async def stall_and_write(data):
        if b'"news"' in data and not red.write_takes_s:
            clock.jump(3)
            red.write_takes_s = reads_after_s - 3 if reads_after_s > 3 else reads_after_s
        await write(data)
        red.write_takes_s = 0.0

    red.write = stall_and_write
    game = play_bots({"red": red, "blue": FakeBot(Brain("blue"))}, clock=clock, with_lag_monitor=True)
    assert game.result.ending == ending
