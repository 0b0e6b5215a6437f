"""Answers its first move with a line that breaks the protocol or looks strange; the argument selects it."""

import json
import sys

from base import Bot

BEGINNING = b'{"type":"act","ask":2,'
MOVE = b'"action":{"type":"move","src":"a4","dst":"a5"}'
GOOD = BEGINNING + MOVE + b"}"
LINES = {
    "nothing": b"",
    "prose": b"a4 to a5, please",
    "invalid_utf_8": GOOD.replace(b"a4", b"\xff\xfe"),
    "nul": b"\0" + GOOD,
    "utf_16": GOOD.decode().encode("utf-16"),
    "bom": b"\xef\xbb\xbf" + GOOD,
    "two_objects": GOOD + GOOD,
    "array": b"[" + GOOD + b"]",
    "brackets": b"[" * 4000,
    "many_brackets": b"[" * 200_000,
    "long_number": b'{"type":"act","ask":' + b"9" * 3000 + b"," + MOVE + b"}",
    "ten_thousand_digits": b'{"type":"act","ask":' + b"9" * 10_000 + b"," + MOVE + b"}",
    "nan": b'{"type":"act","ask":NaN,' + MOVE + b"}",
    "float": b'{"type":"act","ask":2.5,' + MOVE + b"}",
    "infinite": b'{"type":"act","ask":1e999,' + MOVE + b"}",
    "text_for_number": b'{"type":"act","ask":"2",' + MOVE + b"}",
    "true_for_number": b'{"type":"act","ask":true,' + MOVE + b"}",
    "negative": b'{"type":"act","ask":-2,' + MOVE + b"}",
    "no_number": b'{"type":"act",' + MOVE + b"}",
    "no_action": b'{"type":"act","ask":2}',
    "null_action": BEGINNING + b'"action":null}',
    "unknown_action": BEGINNING + b'"action":{"type":"teleport","src":"a4","dst":"a5"}}',
    "unknown_field": BEGINNING + MOVE + b',"nonsense":1}',
    "unknown_field_in_action": GOOD.replace(b'"dst"', b'"speed":9,"dst"'),
    "square_of_numbers": GOOD.replace(b'"a4"', b"[1,4]"),
    "long_note": BEGINNING + MOVE + b',"note":"' + b"x" * 201 + b'"}',
    "lone_surrogate": BEGINNING + MOVE + b',"note":"\\ud800"}',
    "ready_again": json.dumps(Bot().build_ready()).encode(),
    "hello": b'{"type":"hello","protocol":1,"arbiter":"me"}',
    "over": b'{"type":"over","game":"g","result":"win","ending":"resigned","why":"","news":[]}',
    "one_byte_too_long": GOOD + b" " * (4096 - len(GOOD)),
}


STRANGE_LINES = {
    "spaces": b"  { " + GOOD[1:-1] + b" }  ",
    "carriage_return": GOOD + b"\r",
    "escaped": GOOD.replace(b"a4", b"\\u0061\\u0034"),
    "key_twice": b'{"type":"act","ask":99,"ask":2,' + MOVE + b"}",
    "longest_line": GOOD + b" " * (4095 - len(GOOD)),
    "longest_note": GOOD[:-1] + b',"note":"' + b"x" * 200 + b'"}',
    "null_note": GOOD[:-1] + b',"note":null}',
    "nul_in_note": GOOD[:-1] + b',"note":"\\u0000"}',
}
"""Lines that are valid."""


class WrongLine(Bot):
    def answer_ask(self, ask):
        if ask["ask"] != 2:
            super().answer_ask(ask)
        else:
            self.turns += 1
            self.write((LINES | STRANGE_LINES)[sys.argv[1]] + b"\n")


WrongLine().run()
