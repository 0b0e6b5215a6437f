"""Answers its first move in an unusual but valid form; the argument selects the form."""

import sys

from base import Bot

MOVE = b'"action":{"type":"move","src":"a4","dst":"a5"}'
GOOD = b'{"type":"act","ask":2,' + MOVE + b"}"
LINES = {
    "spaces": b"  { " + GOOD[1:-1] + b" }  ",
    "carriage_return": GOOD + b"\r",
    "escaped": GOOD.replace(b"a4", b"\\u0061\\u0034"),
    "key_twice": b'{"type":"act","ask":99,"ask":2,' + MOVE + b"}",
    "longest_line": GOOD + b" " * (4095 - len(GOOD)),
    "longest_note": GOOD[:-1] + b',"note":"' + b"x" * 200 + b'"}',
    "null_note": GOOD[:-1] + b',"note":null}',
    "nul_in_note": GOOD[:-1] + b',"note":"\\u0000"}',
}


class StrangeLine(Bot):
    def answer_ask(self, ask):
        if ask["ask"] == 2:
            self.turns += 1
            self.write(LINES[sys.argv[1]] + b"\n")
        else:
            super().answer_ask(ask)


StrangeLine().run()
