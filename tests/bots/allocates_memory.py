"""Allocates memory without limit at its first move."""

from base import Bot


class AllocatesMemory(Bot):
    def choose_action(self, ask):
        hoard = []
        while True:
            hoard.append(bytearray(10_000_000))


AllocatesMemory().run()
