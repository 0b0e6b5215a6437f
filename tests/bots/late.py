"""Answers its first move 150 ms later than its limit and margin: stalls are shorter, and the referee still reads it."""

import time

from base import Bot


class Late(Bot):
    def start_game(self, start):
        super().start_game(start)
        self.too_late_s = start["time"]["bank_s"] + start["time"]["margin_ms"] / 1000 + 0.15

    def answer_ask(self, ask):
        if ask["phase"] == "turn":
            time.sleep(self.too_late_s)
        super().answer_ask(ask)


Late().run()
