"""Writes endlessly, without a newline, at its first move."""

from base import Bot


class FloodsBytes(Bot):
    def choose_action(self, ask):
        while True:
            self.write(b"x" * 65536)


FloodsBytes().run()
