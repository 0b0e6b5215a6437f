"""Waits for lines that end at a deadline, on a clock that moves only when a test moves it."""

import gc
import math
import os
import weakref
from functools import cached_property

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from arbiter.sandbox.beat import find_alarm
from arbiter.sandbox.streams import LineReader, StreamEnd


class Pipe:
    """A pipe with a reader whose waits are noted."""

    def __init__(self):
        self.out, self.into = os.pipe()
        self.ended = []

    @cached_property
    def reader(self):
        """The reader, which belongs to a trio run."""
        return LineReader(self.out)

    async def wait(self, until):
        """Wait for a line until a time; note it and the time at which the wait ended."""
        self.ended.append((await self.reader.line_before(until), trio.current_time()))

    def close(self):
        os.close(self.out)
        os.close(self.into)


@pytest.fixture
def pipes():
    made = [Pipe(), Pipe()]
    yield made
    for pipe in made:
        pipe.close()


def run(main):
    trio.run(main, clock=MockClock())


async def move_to(*times):
    """Move the clock forward step by step."""
    for time in times:
        await wait_all_tasks_blocked(0.001)
        trio.lowlevel.current_clock().jump(time - trio.current_time())
    await wait_all_tasks_blocked(0.001)


# deadlines of waits one after the other, with the time at which each gets its line, if it gets one
COURSES = [
    [(10, None)],
    [(10, 3), (100, None)],
    [(100, 3), (10, None)],
    [(10, 3), (100, 50), (60, 55), (70, None)],
    [(10, 9), (20, 19), (30, 29), (40, 39)],
    [(5, None), (5, None), (8, 6), (9, None)],
    [(math.inf, 1000), (1001, None)],
]


@pytest.mark.parametrize("course", COURSES)
def test_a_wait_ends_with_its_line_or_at_its_deadline(pipes, course):
    pipe, _ = pipes

    async def play_course():
        for deadline, _ in course:
            await pipe.wait(deadline)

    async def main():
        async with trio.open_nursery() as nursery:
            nursery.start_soon(play_course)
            for number, (deadline, comes) in enumerate(course):
                if comes is not None:
                    await move_to(comes)
                    os.write(pipe.into, b"%d\n" % number)
                elif deadline > trio.current_time():
                    await move_to(deadline - 0.001)
                    assert len(pipe.ended) == number, "the wait ended too early"
                    await move_to(deadline)

    run(main)
    times = [deadline if comes is None else comes for deadline, comes in course]
    lines = [None if comes is None else b"%d" % number for number, (_, comes) in enumerate(course)]
    assert [line for line, _ in pipe.ended] == lines
    assert [time for _, time in pipe.ended] == pytest.approx(times)


def test_each_wait_has_its_own_deadline(pipes):
    one, two = pipes

    async def main():
        async with trio.open_nursery() as nursery:
            nursery.start_soon(one.wait, 20)
            nursery.start_soon(two.wait, 10)
            await move_to(9.999, 10)
            assert (one.ended, two.ended) == ([], [(None, 10)])
            nursery.start_soon(two.wait, 15)
            await move_to(14.999, 15, 19.999, 20)

    run(main)
    assert [time for _, time in one.ended + two.ended] == pytest.approx([20, 10, 15])


def test_a_part_of_a_line_is_kept_at_the_deadline(pipes):
    pipe, _ = pipes

    async def main():
        async with trio.open_nursery() as nursery:
            nursery.start_soon(pipe.wait, 10)
            await wait_all_tasks_blocked()
            os.write(pipe.into, b"half")
            await move_to(10)
        os.write(pipe.into, b" and half\n")
        assert await pipe.reader.line() == b"half and half"

    run(main)
    assert pipe.ended == [(None, 10)]


def test_a_wait_ends_when_the_program_does_or_when_it_is_cancelled(pipes):
    one, two = pipes

    async def main():
        async with trio.open_nursery() as nursery:
            nursery.start_soon(two.wait, 10)
            with trio.move_on_after(5):
                await wait_all_tasks_blocked()
                trio.lowlevel.spawn_system_task(move_to, 5)
                await one.reader.line_before(10)
            assert one.reader.deadline == math.inf
            one.reader.stop_waiting()
            with pytest.raises(StreamEnd):
                await one.reader.line_before(10)
            await move_to(10)
        assert trio.current_time() == pytest.approx(10)

    run(main)
    assert two.ended == [(None, pytest.approx(10))]


def test_the_alarm_keeps_no_reader(pipes):
    pipe, _ = pipes

    async def main():
        async with trio.open_nursery() as nursery:
            nursery.start_soon(pipe.wait, 1e6)
            await wait_all_tasks_blocked()
            os.write(pipe.into, b"line\n")
        reader = weakref.ref(pipe.reader)
        pipe.reader = None
        gc.collect()
        assert reader() is None
        assert len(find_alarm()._waiters) == 0

    run(main)
