"""The kit reads the lines of a later arbiter."""

import pytest

from protocol.codec import ProtocolError, decode_later_arbiter_line
from protocol.messages import Bye, News
from protocol.words import Move, Moved

CLOCK = b'"clock":{"red_ms":1,"blue_ms":1,"move_ms":null,"last_ms":0}'
MOVED = b'{"type":"moved","seat":"red","src":"a4","dst":"a5"}'


def test_an_unknown_message_is_skipped():
    assert decode_later_arbiter_line(b'{"type":"weather","sky":"grey","news":5}\n') is None


@pytest.mark.parametrize("line", [b'{"sky":"grey"}', b'{"type":[]}', b'{"type":{"a":1}}', b'{"type":null}'])
def test_a_message_without_a_type_is_skipped(line):
    assert decode_later_arbiter_line(line) is None


def test_an_unknown_field_is_skipped():
    assert decode_later_arbiter_line(b'{"type":"bye","until":"tomorrow"}') == Bye()


def test_an_unknown_fact_is_skipped():
    line = b'{"type":"news","news":[{"type":"sneezed","seat":"red"},' + MOVED + b',{"type":"revealed","rank":"ace"}]}'
    assert decode_later_arbiter_line(line) == News([Moved("red", "a4", "a5")])


def test_an_unknown_action_is_skipped():
    legal = b'"legal":[{"type":"fly","to":"a9"},{"type":"move","src":"a4","dst":"a5"}]'
    ask = decode_later_arbiter_line(
        b'{"type":"ask","ask":3,"phase":"turn","news":[' + MOVED + b"]," + CLOCK + b"," + legal + b"}"
    )
    assert ask.legal == [Move("a4", "a5")]
    assert ask.news == [Moved("red", "a4", "a5")]


@pytest.mark.parametrize("line", [b"", b"nonsense", b"[1]", b"[" * 200_000, b'{"type":"bye"', b'{"type":"ask"}'])
def test_a_line_that_is_no_message_is_an_error(line):
    with pytest.raises(ProtocolError):
        decode_later_arbiter_line(line)
