"""Thinks thirteen seconds about its first move."""

import time

from base import Bot


class ThinksThirteenSeconds(Bot):
    def choose_action(self, ask):
        if not self.turns:
            time.sleep(13)
        return super().choose_action(ask)


ThinksThirteenSeconds().run()
