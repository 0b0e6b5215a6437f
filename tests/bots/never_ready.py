"""Reads `hello` and never answers it."""

from base import Bot


class NeverReady(Bot):
    def answer_hello(self):
        pass


NeverReady().run()
