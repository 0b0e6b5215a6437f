"""Reading a bot's stderr: always, not too fast, and kept up to a limit."""

import fcntl
import os

import pytest
import trio
from trio.testing import MockClock

from arbiter.sandbox.stderr import ErrorLog, drain, drain_rest

KEPT = 64 * 1024


def log_of(*pieces):
    log = ErrorLog()
    for piece in pieces:
        log.add(piece)
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
    drain_rest(out, log)
    assert log.last_line() == "last words"
    for fd in (out,) if closed else (out, into):
        os.close(fd)
