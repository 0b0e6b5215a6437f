"""Reads the greeting and never answers it."""

from base import Bot


class Shy(Bot):
    def greet(self):
        pass


Shy().run()
