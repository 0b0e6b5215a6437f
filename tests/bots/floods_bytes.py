"""Writes without end and without a newline at its first move."""

from base import Bot


class Flood(Bot):
    def action(self, ask):
        while True:
            self.write(b"x" * 65536)


Flood().run()
