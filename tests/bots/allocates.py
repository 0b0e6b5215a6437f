"""Takes memory without end at its first move."""

from base import Bot


class Greedy(Bot):
    def action(self, ask):
        hoard = []
        while True:
            hoard.append(bytearray(10_000_000))


Greedy().run()
