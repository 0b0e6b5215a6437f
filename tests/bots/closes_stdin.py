"""Closes its stdin after its first move and lives on."""

import os
import time

from base import Bot


class Deaf(Bot):
    def action(self, ask):
        action = super().action(ask)
        os.close(0)
        return action

    def answer(self, ask):
        super().answer(ask)
        if ask["phase"] == "turn":
            time.sleep(3600)


Deaf().run()
