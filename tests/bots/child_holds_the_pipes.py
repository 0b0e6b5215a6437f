"""Exits at its first move while a child of its own still holds its pipes."""

import os
import time

from base import Bot


class Parent(Bot):
    def action(self, ask):
        if os.fork() == 0:
            time.sleep(3600)
        os._exit(7)


Parent().run()
