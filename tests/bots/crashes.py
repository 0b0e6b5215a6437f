"""Raises an exception at its first move."""

from base import Bot


class Crashes(Bot):
    def choose_action(self, ask):
        return {}["the best move"]


Crashes().run()
