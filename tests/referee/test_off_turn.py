"""Bots while they are not asked: which are restrained, and how, by what they use of the processor."""

import pytest
import trio
import trio.testing

from arbiter.referee.off_turn import OffTurn

LONG_S = 1.0
MS = 1000.0


class FakeProgram:
    """A program on a simulated clock that uses `load` cores all the time; it notes what is done to it."""

    def __init__(self, load=0.0):
        self.load = load
        self.starts_processes = False
        self.done = []
        self.measured = 0

    def activity(self):
        self.measured += 1
        return trio.current_time() * self.load * MS, {1, self.measured if self.starts_processes else 1}

    def freeze(self):
        self.done.append("freeze")

    def thaw(self):
        self.done.append("thaw")

    def lower_priority(self):
        self.done.append("lower")

    def restore_priority(self):
        self.done.append("restore")


def observe(program, course, *, pondering=True):
    """Run a course of events with a watched program; return its restraint."""

    async def main():
        off_turn = OffTurn(program, pondering=pondering)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(off_turn.watch)
            await course(off_turn)
            off_turn.close()
        return off_turn

    return trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))


async def wait_for_opponent(off_turn, turn_s=LONG_S):
    off_turn.begin(trio.current_time())
    await trio.sleep(turn_s)
    off_turn.end()


async def wait_twice(off_turn):
    await wait_for_opponent(off_turn)
    await wait_for_opponent(off_turn)


@pytest.mark.parametrize("load", [0.0, 0.05])
def test_a_bot_that_waits_is_left_alone(load):
    program = FakeProgram(load)
    observe(program, wait_twice)
    assert program.done == []


@pytest.mark.parametrize("load", [0.5, 1.0, 16.0])
def test_a_bot_that_ponders_has_a_low_priority_from_then_on(load):
    program = FakeProgram(load)
    observe(program, wait_twice)
    assert program.done == ["lower", "restore"] * 2


def test_a_bot_that_starts_processes_is_busy_although_their_time_is_unknown():
    program = FakeProgram()
    program.starts_processes = True
    observe(program, wait_twice)
    assert program.done == ["lower", "restore"] * 2


def test_use_of_the_processor_while_a_bot_is_asked_does_not_count():
    program = FakeProgram(16.0)

    async def think(off_turn):
        for _ in range(100):
            await wait_for_opponent(off_turn, turn_s=0.001)
            await trio.sleep(LONG_S)

    observe(program, think)
    assert program.done == []


def test_a_quiet_bot_is_measured_seldom_and_one_that_begins_to_ponder_is_found_soon():
    program = FakeProgram()
    looks = []
    found = []

    async def ponder_late(off_turn):
        off_turn.begin(trio.current_time())
        await trio.sleep(10)
        looks.append(program.measured)
        program.load = 1.0
        await trio.sleep(0.3)
        found.append(program.done == ["lower"])
        off_turn.end()

    observe(program, ponder_late)
    assert looks[0] <= 2 * (10 / 0.16 + 3)  # at first, it is measured more often
    assert found == [True]


def test_without_pondering_a_bot_is_stopped():
    program = FakeProgram()
    off_turn = observe(program, wait_twice, pondering=False)
    assert program.done == ["freeze", "thaw"] * 2
    assert off_turn.breach is None


def test_a_bot_that_continues_while_it_is_stopped_is_stopped_again_and_must_lose():
    program = FakeProgram(1.0)
    off_turn = observe(program, wait_for_opponent, pondering=False)
    assert program.done == ["freeze"] * 29 + ["thaw"]
    assert "ran while they were stopped" in off_turn.breach


def test_a_bot_whose_processes_take_a_moment_to_stop_need_not_lose():
    program = FakeProgram()

    async def stop_slowly(off_turn):
        for _ in range(10):
            program.load = 1.0
            off_turn.begin(trio.current_time())
            await trio.sleep(0.3)
            program.load = 0.0
            await trio.sleep(LONG_S)
            off_turn.end()

    assert observe(program, stop_slowly, pondering=False).breach is None


def test_nothing_is_done_after_the_end():
    program = FakeProgram(1.0)

    async def end_early(off_turn):
        off_turn.begin(trio.current_time())
        off_turn.close()
        await trio.sleep(LONG_S)

    observe(program, end_early)
    assert program.done == []
