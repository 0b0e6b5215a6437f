"""A game's log made readable: both seats in the order of time, gaps counted, nothing that a terminal would obey."""

import json

from arbiter.show.replay.log import log_hint, log_objects, write_log
from arbiter.show.text import json_line
from arbiter.transcript import GameLog, LogLine, StderrMark, Transcript


def to(ms, text):
    return LogLine(ms, sent=True, text=text)


def by(ms, text, **flaws):
    return LogLine(ms, sent=False, text=text, **flaws)


LOG = GameLog(
    wire={
        "red": Transcript(
            (to(0.5, b'{"type":"hello"}'), by(20, b"caf\xc3\xa9 \xff\x1b[2J")), (to(1234.5678, b"{}"),), 7, 900
        ),
        "blue": Transcript(
            (
                to(0.75, b'{"type":"hello"}'),
                by(30, b'{"type":"a', whole=False),
                by(31, b"x" * 8, whole=False, cut=99),
                by(2000, b"one\ntwo", whole=False),
            )
        ),
    },
    stderr={"blue": "dear\x07 diary\nthe end"},
)
TEXT = r"""
--- milliseconds since the start of the game, direction, line
       0.500  to red       {"type":"hello"}
       0.750  to blue      {"type":"hello"}
      20.000  from red     café \xff\x1b[2J
      30.000  from blue    {"type":"a (without an end)
      31.000  from blue    xxxxxxxx... and 99 bytes more
         ...  7 lines to and from red, 900 bytes, are left out here
    1234.568  to red       {}
    2000.000  from blue    one\ntwo (not waited for)
--- stderr of blue
dear\x07 diary
the end
"""
TIMED = GameLog(
    wire={"red": Transcript((to(1, b'{"ask":1}'), by(2, b"{}"), to(5, b'{"ask":2}')))},
    stderr={"red": "ready\nthinking\r\n\x1b[2J\n\nanswered\n", "blue": "no newline"},
    stderr_marks={
        "red": (StderrMark(0, 0.5, 0), StderrMark(1, 1.5, 1), StderrMark(4, 5, 1)),
        "blue": (StderrMark(0, 9, 3),),
    },
)
TIMED_TEXT = r"""
--- milliseconds since the start of the game, direction, line
       0.500  stderr red   ready
       1.000  to red       {"ask":1}
       1.500  stderr red   thinking
       1.500  stderr red   \x1b[2J
       1.500  stderr red
       2.000  from red     {}
       5.000  stderr red   answered
       5.000  to red       {"ask":2}
       9.000  stderr blue  no newline
"""


def test_lines_of_stderr_stand_where_they_were_written():
    assert [line.rstrip() for line in write_log(TIMED)] == [
        line.rstrip() for line in TIMED_TEXT.strip("\n").split("\n")
    ]
    errors = [one for one in log_objects(TIMED) if "stderr" in one]
    assert errors[1] == {"ms": 1.5, "seat": "red", "ask": 1, "stderr": "thinking"}
    assert [one["ask"] for one in errors] == [0, 1, 1, 1, 1, 3]


def test_as_text():
    assert list(write_log(LOG)) == TEXT.strip("\n").splitlines()


def test_as_objects():
    lines = [json_line(one) for one in log_objects(LOG)]
    assert all(line.isprintable() for line in lines)
    objects = [json.loads(line) for line in lines]
    assert (
        json.dumps(objects[0])
        == '{"ms": 0.5, "seat": "red", "from": "arbiter", "line": "{\\"type\\":\\"hello\\"}", "whole": true, "cut": 0}'
    )
    assert [one["from"] for one in objects if "from" in one] == ["arbiter"] * 2 + [
        "red",
        "blue",
        "blue",
        "arbiter",
        "blue",
    ]
    assert objects[2]["line"] == "café \\xff\x1b[2J"
    assert objects[5] == {"ms": 1234.5678, "seat": "red", "left_out": {"lines": 7, "bytes": 900}}
    assert objects[-1] == {"seat": "blue", "stderr": "dear\x07 diary\nthe end"}


def test_where_the_end_is_left_out_the_gap_stands_there():
    log = GameLog(wire={"red": Transcript((to(1, b"{}"),), (), 2, 300)})
    assert list(write_log(log))[1:] == [
        "       1.000  to red       {}",
        "         ...  2 lines to and from red, 300 bytes, are left out here",
    ]


def test_nothing_is_nothing():
    assert list(write_log(GameLog())) == list(log_objects(GameLog())) == []


def test_the_command_that_shows_it():
    assert log_hint("my.sqlite", "a~b~1") == "line by line: arbiter games my.sqlite --id a~b~1 --log"
