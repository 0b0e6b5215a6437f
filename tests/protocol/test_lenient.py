"""A kit of today reads an arbiter of tomorrow."""

import pytest

from protocol.codec import ProtocolError
from protocol.lenient import read_said
from protocol.messages import Bye, News
from protocol.words import Move, Moved

CLOCK = b'"clock":{"red_ms":1,"blue_ms":1,"move_ms":null,"last_ms":0}'
MOVED = b'{"type":"moved","seat":"red","src":"a4","dst":"a5"}'


def test_a_message_not_known_is_left_out():
    assert read_said(b'{"type":"weather","sky":"grey","news":5}\n') is None


@pytest.mark.parametrize("line", [b'{"sky":"grey"}', b'{"type":[]}', b'{"type":{"a":1}}', b'{"type":null}'])
def test_a_message_without_a_type_is_left_out(line):
    assert read_said(line) is None


def test_a_field_not_known_is_left_out():
    assert read_said(b'{"type":"bye","until":"tomorrow"}') == Bye()


def test_a_fact_not_known_is_left_out():
    line = b'{"type":"news","news":[{"type":"sneezed","seat":"red"},' + MOVED + b',{"type":"revealed","rank":"ace"}]}'
    assert read_said(line) == News([Moved("red", "a4", "a5")])


def test_an_action_not_known_is_left_out():
    legal = b'"legal":[{"type":"fly","to":"a9"},{"type":"move","src":"a4","dst":"a5"}]'
    ask = read_said(b'{"type":"ask","ask":3,"phase":"turn","news":[' + MOVED + b"]," + CLOCK + b"," + legal + b"}")
    assert ask.legal == [Move("a4", "a5")]
    assert ask.news == [Moved("red", "a4", "a5")]


@pytest.mark.parametrize("line", [b"", b"nonsense", b"[1]", b"[" * 200_000, b'{"type":"bye"', b'{"type":"ask"}'])
def test_what_no_arbiter_says_is_an_error(line):
    with pytest.raises(ProtocolError):
        read_said(line)
