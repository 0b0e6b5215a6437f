"""Deploys its cards, sees those of its opponent that the first turn shows, and kills itself to play the game again."""

import os
import signal

from remembers_cards import RemembersCards


class SeesAndDies(RemembersCards):
    def choose_action(self, ask):
        os.kill(os.getpid(), signal.SIGKILL)

    def build_act(self, ask):
        return super().build_act(ask) if ask["phase"] == "setup" else self.choose_action(ask)


SeesAndDies().run()
