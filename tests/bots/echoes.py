"""Sends the arbiter's question back."""

from base import Bot


class Echoes(Bot):
    def answer_ask(self, ask):
        if ask["phase"] == "setup":
            super().answer_ask(ask)
        else:
            self.send(ask)


Echoes().run()
