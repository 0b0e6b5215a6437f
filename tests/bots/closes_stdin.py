"""Closes its stdin after its first move and continues to run."""

import os
import time

from base import Bot


class ClosesStdin(Bot):
    def choose_action(self, ask):
        action = super().choose_action(ask)
        os.close(0)
        return action

    def answer_ask(self, ask):
        super().answer_ask(ask)
        if ask["phase"] == "turn":
            time.sleep(3600)


ClosesStdin().run()
