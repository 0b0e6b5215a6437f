"""Writes lines without end from its first move on."""

from base import Bot


class Flood(Bot):
    def answer(self, ask):
        super().answer(ask)
        while ask["phase"] == "turn":
            self.write(b"all work and no play\n" * 1000)


Flood().run()
