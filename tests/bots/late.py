"""Answers its first move a little later than is forgiven."""

import time

from base import Bot


class Late(Bot):
    def begin(self, start):
        super().begin(start)
        self.too_late_s = start["time"]["bank_s"] + start["time"]["margin_ms"] / 1000 + 0.02

    def answer(self, ask):
        if ask["phase"] == "turn":
            time.sleep(self.too_late_s)
        super().answer(ask)


Late().run()
