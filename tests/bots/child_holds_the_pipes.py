"""Exits at its first move while a child process still holds its pipes."""

import os
import time

from base import Bot


class ChildHoldsThePipes(Bot):
    def choose_action(self, ask):
        if os.fork() == 0:
            time.sleep(3600)
        os._exit(7)


ChildHoldsThePipes().run()
