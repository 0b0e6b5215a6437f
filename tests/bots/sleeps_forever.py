"""Thinks forever about its first move."""

import time

from base import Bot


class SleepsForever(Bot):
    def choose_action(self, ask):
        time.sleep(3600)


SleepsForever().run()
