"""Reading a bot's stderr: always, not too fast, and kept up to a limit."""

import fcntl
import os

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from arbiter.sandbox.streams import ErrorLog, drain, drain_rest

KEPT = 64 * 1024


def log_of(*pieces):
    log = ErrorLog()
    for number, piece in enumerate(pieces):
        log.add(piece, number)
    return log


@pytest.mark.parametrize("size", [1, 1000, 16 * 1024, 16 * 1024 + 1, 100_000])
def test_nothing_is_left_out_if_all_fits(size):
    data = bytes(97 + index % 26 for index in range(KEPT))
    log = log_of(*(data[start : start + size] for start in range(0, KEPT, size)))
    assert log.text() == data.decode()


def test_the_middle_is_left_out_and_counted():
    log = log_of(b"first" + b"x" * KEPT, b"y" * 1000 + b"last")
    assert log.text().startswith("firstxxx")
    assert log.text().endswith("yyylast")
    assert f"\n... {5 + 1000 + 4} bytes left out ...\n" in log.text()


@pytest.mark.parametrize(
    ("written", "last"),
    [
        (b"", ""),
        (b"\n\n", ""),
        (b"one\ntwo\n", "two"),
        (b"one\ntwo", "two"),
        (b"one\n  two  \n\n \n", "two"),
        (b"caf\xe9", "caf\\xe9"),
        (b"x\n" * KEPT + b"end\n", "end"),
        (b"x" * (KEPT // 4 - 4) + b"\nend\n", "end"),
    ],
)
def test_the_last_line(written, last):
    assert log_of(written).last_line() == last


def test_invalid_text_is_escaped():
    assert log_of(b"\xff\x00").text() == "\\xff\x00"


def test_endless_output_is_read_with_a_pause_after_each_chunk():
    out, into = os.pipe()
    fcntl.fcntl(into, fcntl.F_SETPIPE_SZ, 10 * KEPT)
    os.write(into, b"x" * 10 * KEPT)
    os.close(into)
    log = ErrorLog()

    async def drained():
        begun = trio.current_time()
        await drain(out, log)
        return trio.current_time() - begun

    seconds = trio.run(drained, clock=MockClock(autojump_threshold=0))
    os.close(out)
    assert f"... {9 * KEPT} bytes left out ..." in log.text()
    assert seconds == pytest.approx(10 * 0.02)


@pytest.mark.parametrize("closed", [True, False])
def test_the_rest_is_read_without_waiting(closed):
    out, into = os.pipe()
    os.set_blocking(out, False)
    os.write(into, b"last words\n")
    if closed:
        os.close(into)
    log = ErrorLog()

    async def drain_now():
        drain_rest(out, log)

    trio.run(drain_now)
    assert log.last_line() == "last words"
    for fd in (out,) if closed else (out, into):
        os.close(fd)


def read_marks(log):
    return [(line, mark.at, mark.ask) for line, mark in log.marks()]


def test_each_line_has_the_time_at_which_its_beginning_was_read():
    log = log_of(b"one\ntw", b"o\n", b"three\nfour", b"\n", b"five")
    assert read_marks(log) == [(0, 0, 0), (2, 2, 0), (4, 4, 0)]


def test_the_lines_after_a_gap_have_their_own_times():
    log = log_of(b"first\n" + b"x" * KEPT, b"y" * KEPT + b"\n", b"last\n")
    lines = log.text().split("\n")
    times = {lines[number]: at for number, at, _ in read_marks(log)}
    assert (times["first"], times["last"]) == (0, 2)
    assert lines[-2] == "last"


def test_marks_of_dropped_output_are_dropped():
    log = log_of(*[b"x"] * (2 * KEPT))
    assert len(log._head_marks) + len(log._tail_marks) <= KEPT + 1
    assert [line for line, _ in log.marks()] == [0, 1, 2]


def test_what_a_bot_wrote_before_a_question_belongs_to_the_one_before():
    out, into = os.pipe()
    log = ErrorLog()

    async def write_between_questions():
        async with trio.open_nursery() as nursery:
            nursery.start_soon(drain, out, log)
            for ask in range(1, 5):
                log.begin_question(ask)
                os.write(into, f"thinking about {ask}\n".encode())
                await wait_all_tasks_blocked()  # the reader pauses after the first line
            os.close(into)
            clock.rate = 1

    clock = MockClock()
    trio.run(write_between_questions, clock=clock)
    os.close(out)
    assert log.text().split("\n")[:4] == [f"thinking about {ask}" for ask in range(1, 5)]
    assert [(line, ask) for line, _, ask in read_marks(log)] == [(0, 1), (1, 2), (2, 3), (3, 4)]


def test_a_flood_is_not_read_faster_because_of_questions():
    out, into = os.pipe()
    os.set_blocking(out, False)
    os.write(into, b"x" * 60_000)
    log = ErrorLog()

    async def ask():
        log.begin_question(1)
        assert log.text() == ""  # the reader does not pause, so it reads by itself
        log.pausing_fd = out
        log.begin_question(2)

    trio.run(ask)
    assert len(log.text()) == 4096
    os.close(out)
    os.close(into)
