import json

import pytest

from arbiter.clock import write_clock, write_limit
from arbiter.show.text import json_line, number, plain


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("hunter", "hunter"),
        ("Jäger 猟師 🂡", "Jäger 猟師 🂡"),
        ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
        ("\x9b31m", r"\x9b31m"),
        ("two\r\nlines\tand a bell\a", r"two\r\nlines\tand a bell\x07"),
        ("user\u202ecod.exe", r"user\u202ecod.exe"),
        ("\u2066\u200b\ufeff\u2028\u2029", r"\u2066\u200b\ufeff\u2028\u2029"),
        ("Nulle\xa0: 12\u202f000", "Nulle : 12 000"),
        ("\x00\x7f\ud800\U000e0041", r"\x00\x7f\ud800\U000e0041"),
    ],
)
def test_what_does_not_print_is_escaped(text, shown):
    assert plain(text) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [(6.0, "6"), (0.5, "0.5"), (-1.0, "-1"), (0.0, "0"), (1234567.0, "1234567"), (0.1 + 0.2, "0.3"), (7, "7")],
)
def test_numbers_have_no_needless_zeros(value, shown):
    assert number(value) == shown


def test_a_line_for_programs_is_safe_on_a_terminal_and_loses_nothing():
    value = {"bot": "\x1b[2J\x7f\x9b\u202e\U000e0041Jäger猟"}
    line = json_line(value)
    assert line == r'{"bot":"\u001b[2J\u007f\u009b\u202e\udb40\udc41Jäger猟"}'
    assert json.loads(line) == value


@pytest.mark.parametrize(
    ("ms", "written"),
    [
        (0, "0:00.0"),
        (99, "0:00.0"),
        (100, "0:00.1"),
        (59_999, "0:59.9"),
        (62_340, "1:02.3"),
        (3_599_999, "59:59.9"),
        (3_600_000, "1:00:00"),
        (86_400_000, "24:00:00"),
    ],
)
def test_what_is_left_is_never_rounded_up(ms, written):
    assert write_clock(ms) == written


@pytest.mark.parametrize(
    ("ms", "written"), [(0.5, "0 ms"), (450, "450 ms"), (9_999, "9999 ms"), (10_050, "0:10.0"), (1_502_742, "25:02.7")]
)
def test_limits(ms, written):
    assert write_limit(ms) == written
