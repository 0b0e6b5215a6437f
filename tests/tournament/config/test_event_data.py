"""Texts for people: everything that a terminal or a browser prints is allowed, and nothing else."""

import sys
import unicodedata

import msgspec
import pytest

from arbiter.tournament.config.event_data import Link, Notes, ShortText, Text


def is_accepted(text, kind):
    try:
        msgspec.convert(text, kind)
    except msgspec.ValidationError:
        return False
    return True


def test_characters_that_do_not_print_are_refused():
    refused = {"Cc", "Cf", "Cs", "Zl", "Zp", "Zs"}
    for sign in map(chr, range(sys.maxunicode + 1)):
        if unicodedata.category(sign) in refused:
            assert not is_accepted(f"a{sign}b", Text) or sign == " ", f"U+{ord(sign):04X}"


@pytest.mark.parametrize(
    "text", ["Ω", "Große Jägerin", "猎人 二号", "صياد", "e\u0301", "🦊 fox", "<b>&amp;", "a b", "\\x1b"]
)
def test_printable_texts_of_any_script_are_accepted(text):
    assert is_accepted(text, ShortText)
    assert is_accepted(text, Notes)


def test_only_notes_have_several_lines():
    assert [is_accepted("one\n\ntwo", kind) for kind in (ShortText, Text, Notes, Link)] == [False, False, True, False]


LINKS = {
    "https://example.org": True,
    "http://127.0.0.1:8000/a?b=c&d#e": True,
    "https://de.wikipedia.org/wiki/Jäger_(Spiel)": True,
    "https://[::1]/": True,
    "HTTPS://example.org": False,
    "https:///etc": False,
    "//example.org": False,
    "example.org": False,
    "javascript:alert(1)//https://a": False,
    "data:text/html,x": False,
    "java\nscript:alert(1)\nhttps://a": False,
    " https://example.org": False,
    "https://example.org\n": False,
    'https://a"onclick=alert(1)': False,
    "https://a'b": False,
    "https://a<b>": False,
    "https://a\u202eb": False,
}


@pytest.mark.parametrize(("link", "accepted"), LINKS.items())
def test_links_are_addresses_of_web_pages(link, accepted):
    assert is_accepted(link, Link) == accepted
