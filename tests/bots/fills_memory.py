"""Fills memory without limit at its first move."""

from base import Bot


class FillsMemory(Bot):
    def choose_action(self, ask):
        hoard = []
        while True:
            hoard.append(b"x" * 10_000_000)


FillsMemory().run()
