"""Lines through real pipes: byte by byte, in chunks, too long, cut off, given up, and a pipe that is full."""

import math
import os
import threading
from contextlib import asynccontextmanager
from functools import cached_property

import pytest
import trio
from trio.testing import trio_test, wait_all_tasks_blocked

from arbiter.sandbox.beat import find_beat
from arbiter.sandbox.streams import LineReader, LineTooLong, LineWriter, StreamEnd
from protocol.words import MAX_LINE


class Pipe:
    def __init__(self):
        self.out, self.into = os.pipe()

    @cached_property
    def reader(self):
        """The reader, which belongs to a trio run."""
        return LineReader(self.out)

    def write(self, data):
        os.write(self.into, data)

    def close(self):
        if self.into is not None:
            os.close(self.into)
        self.into = None


@pytest.fixture
def pipe():
    made = Pipe()
    yield made
    made.close()
    os.close(made.out)


@trio_test
async def test_lines_that_come_together_are_read_one_by_one(pipe):
    pipe.write(b"one\n\ntwo\r\nthree")
    pipe.close()
    assert [await pipe.reader.line() for _ in range(3)] == [b"one", b"", b"two\r"]
    with pytest.raises(StreamEnd) as ended:
        await pipe.reader.line()
    assert ended.value.rest == b"three"


@trio_test
async def test_a_line_that_comes_byte_by_byte_is_whole(pipe):
    async with trio.open_nursery() as nursery:

        @nursery.start_soon
        async def _dribble():
            for byte in b"a line\nmore":
                pipe.write(bytes([byte]))
                await wait_all_tasks_blocked()

        assert await pipe.reader.line() == b"a line"


@pytest.mark.parametrize("length", [MAX_LINE - 2, MAX_LINE - 1])
@trio_test
async def test_the_longest_line_is_read(pipe, length):
    pipe.write(b"x" * length + b"\n")
    assert await pipe.reader.line() == b"x" * length


@pytest.mark.parametrize("end", [b"\n", b""])
@pytest.mark.parametrize("length", [MAX_LINE, MAX_LINE + 1, 60_000])
@trio_test
async def test_a_longer_line_is_not(pipe, length, end):
    pipe.write(b"x" * length + end)
    with pytest.raises(LineTooLong) as caught:
        await pipe.reader.line()
    assert caught.value.start.startswith(b"xxx")


@trio_test
async def test_a_line_that_may_still_end_in_time_is_waited_for(pipe):
    pipe.write(b"x" * (MAX_LINE - 1))
    with trio.move_on_after(0.01) as scope:
        await pipe.reader.line()
    assert scope.cancelled_caught
    pipe.write(b"\n")
    assert len(await pipe.reader.line()) == MAX_LINE - 1


@trio_test
async def test_data_after_a_line_is_unsolicited(pipe):
    pipe.write(b"one\ntwo")
    assert await pipe.reader.line() == b"one"
    assert pipe.reader.unsolicited() == b"two"


@trio_test
async def test_data_that_arrived_since_is_unsolicited(pipe):
    assert pipe.reader.unsolicited() == b""
    pipe.write(b"x")
    assert pipe.reader.unsolicited() == b"x"


@trio_test
async def test_the_rest_can_be_taken(pipe):
    pipe.write(b"one\ntwo")
    assert await pipe.reader.line() == b"one"
    assert pipe.reader.take() == b"two"
    pipe.write(b"three\n")
    pipe.reader.stop_waiting()
    assert pipe.reader.take() == b"three\n"
    assert pipe.reader.take() == pipe.reader.unsolicited() == b""


@trio_test
async def test_the_end_of_a_stream_is_not_unsolicited_data(pipe):
    pipe.close()
    assert pipe.reader.unsolicited() == b""
    with pytest.raises(StreamEnd):
        await pipe.reader.line()


@trio_test
async def test_an_answer_before_stop_waiting_is_read(pipe):
    pipe.write(b"one\nhalf")
    pipe.reader.stop_waiting()
    assert await pipe.reader.line() == b"one"
    with pytest.raises(StreamEnd) as ended:
        await pipe.reader.line()
    assert ended.value.rest == b"half"


@trio_test
async def test_stop_waiting_wakes_the_waiting_task(pipe):
    async def give_up():
        await wait_all_tasks_blocked()
        pipe.write(b"last words")
        pipe.reader.stop_waiting()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(give_up)
        with pytest.raises(StreamEnd) as ended:
            await pipe.reader.line()
    assert ended.value.rest == b"last words"


def count_waiting_tasks():
    return trio.lowlevel.current_statistics().io_statistics.tasks_waiting_read


async def read_and_count_waits(pipe, lines, *, rounds):
    """Read lines, each written when other tasks have run for some rounds; count the pipe being waited for by then."""
    waits = 0
    await wait_all_tasks_blocked()  # until those of trio itself wait
    before = count_waiting_tasks()
    for number in range(lines):
        async with trio.open_nursery() as nursery:

            @nursery.start_soon
            async def _answer():
                nonlocal waits
                for _ in range(rounds):
                    await trio.lowlevel.checkpoint()
                waits += count_waiting_tasks() - before
                pipe.write(b"line\n")

            assert await pipe.reader.line_before(math.inf) == b"line", number
    return waits


@trio_test
async def test_an_answer_that_comes_while_other_tasks_run_is_read_without_a_wait(pipe):
    assert await read_and_count_waits(pipe, 100, rounds=0) == 0


@trio_test
async def test_answers_that_come_later_are_waited_for_and_tried_again_now_and_then(pipe):
    assert await read_and_count_waits(pipe, 100, rounds=3) > 90
    assert await read_and_count_waits(pipe, 40, rounds=0) < 35


class CountedPoll:
    """Counts the looks at a pipe, and shows its line only to those who wait, or at once."""

    def __init__(self):
        self.is_early = False
        self.looks = 0

    def poll(self, ms):
        self.looks += not ms
        return self.is_early or ms > 0


@trio_test
async def test_an_answer_is_looked_for_without_sleep_only_if_the_last_ones_came_early(pipe):
    """Both cases are repeated more often than the reader tries the other one."""
    reader, polled = pipe.reader, CountedPoll()
    reader._poll = polled
    looks = []
    for is_early in [True] * 40 + [False] * 100 + [True] * 60:
        polled.is_early = is_early
        before = polled.looks
        pipe.write(b"line\n")
        assert await reader.line_before(math.inf) == b"line"
        looks.append(polled.looks - before)
    assert looks[:40] == [1] * 40
    assert [number for number, count in enumerate(looks[40:140]) if count > 1] == [0, 1, 32, 64, 96]
    assert looks[-20:] == [1] * 20


@asynccontextmanager
async def let_others_wait(count):
    """Let tasks wait for the answers of other bots."""
    others = [Pipe() for _ in range(count)]
    async with trio.open_nursery() as nursery:
        for other in others:
            nursery.start_soon(other.reader.line_before, math.inf)
        await wait_all_tasks_blocked()
        yield
        nursery.cancel_scope.cancel()
    for other in others:
        other.close()
        os.close(other.out)


@pytest.mark.parametrize("others", [0, 1])
@trio_test
async def test_a_reader_whose_lines_never_have_to_be_waited_for_can_be_cancelled(pipe, others):
    async with let_others_wait(others):
        with trio.CancelScope() as scope:
            scope.cancel()
            while True:
                pipe.write(b"line\n")
                assert await pipe.reader.line_before(math.inf) == b"line"
    assert scope.cancelled_caught


@trio_test
async def test_two_answers_in_a_row_are_read_at_once_if_others_wait(pipe):
    runs = 0

    async def run():
        nonlocal runs
        while True:
            await trio.lowlevel.checkpoint()
            runs += 1

    async with let_others_wait(1), trio.open_nursery() as nursery:
        nursery.start_soon(run)
        for _ in range(90):
            pipe.write(b"line\n")
            assert await pipe.reader.line_before(math.inf) == b"line"
        nursery.cancel_scope.cancel()
    assert 25 <= runs <= 35


@pytest.mark.parametrize("step", ["line\n", "part"])
@trio_test
async def test_other_tasks_run_every_few_milliseconds_if_no_other_one_waits_for_an_answer(pipe, step):
    """A thread writes answers or parts of one; the arbiter does not miss a beat."""
    beats = []
    enough = trio.Event()
    is_over = threading.Event()

    def note_beat(now):
        beats.append(now)
        if len(beats) == 5:
            enough.set()

    def write():
        while not is_over.wait(0.0005):
            pipe.write(step.encode())

    async with trio.open_nursery() as nursery:
        find_beat().add(note_beat)
        nursery.start_soon(trio.to_thread.run_sync, write)

        @nursery.start_soon
        async def _read():
            while True:
                await pipe.reader.line_before(math.inf)

        await enough.wait()
        is_over.set()
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("others", [0, 1])
@trio_test
async def test_other_tasks_run_while_a_bot_thinks(pipe, others):
    async with let_others_wait(others), trio.open_nursery() as nursery:
        for _ in range(20):

            @nursery.start_soon
            async def _answer_later():
                await trio.sleep(0.003)
                pipe.write(b"line\n")

            assert await pipe.reader.line_before(math.inf) == b"line"


@trio_test
async def test_a_wait_that_is_over_before_it_begins_ends(pipe):
    with trio.fail_after(60):
        for _ in range(4):
            assert await pipe.reader.line_before(trio.current_time() - 1) is None


@trio_test
async def test_a_pipe_that_is_full_is_waited_for(pipe):
    writer = LineWriter(pipe.into)
    data = b"x" * 300_000 + b"\n"
    received = []

    async def read_slowly():
        while sum(map(len, received)) < len(data):
            await wait_all_tasks_blocked()
            received.append(os.read(pipe.out, 50_000))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(read_slowly)
        await writer.send(data)
    assert b"".join(received) == data


@trio_test
async def test_unread_bytes_are_counted(pipe):
    assert LineWriter(pipe.into).unread() == 0
    pipe.write(b"one\ntwo\n")
    assert LineWriter(pipe.into).unread() == 8
    pipe.reader.unsolicited()
    assert LineWriter(pipe.into).unread() == 0


@trio_test
async def test_writing_without_a_reader_raises():
    out, into = os.pipe()
    os.close(out)
    with pytest.raises(StreamEnd):
        await LineWriter(into).send(b"hello\n")
    os.close(into)


@trio_test
async def test_a_reader_that_goes_away_is_noticed_while_the_pipe_is_full():
    out, into = os.pipe()

    async def go_away():
        await wait_all_tasks_blocked()
        os.close(out)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(go_away)
        with pytest.raises(StreamEnd):
            await LineWriter(into).send(b"x" * 300_000)
    os.close(into)
