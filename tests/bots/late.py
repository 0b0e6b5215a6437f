"""Answers its first move half a second later than its limit and margin: a stall of a busy machine is shorter."""

import time

from base import Bot


class Late(Bot):
    def start_game(self, start):
        super().start_game(start)
        self.too_late_s = start["time"]["bank_s"] + start["time"]["margin_ms"] / 1000 + 0.5

    def answer_ask(self, ask):
        if ask["phase"] == "turn":
            time.sleep(self.too_late_s)
        super().answer_ask(ask)


Late().run()
