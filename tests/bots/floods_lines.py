"""Writes lines endlessly from its first move on."""

from base import Bot


class FloodsLines(Bot):
    def answer_ask(self, ask):
        super().answer_ask(ask)
        while ask["phase"] == "turn":
            self.write(b"all work and no play\n" * 1000)


FloodsLines().run()
