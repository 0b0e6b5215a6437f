"""Thinks thirteen seconds about its first move."""

import time

from base import Bot


class Thinker(Bot):
    def action(self, ask):
        if not self.turns:
            time.sleep(13)
        return super().action(ask)


Thinker().run()
