"""Sends the arbiter its own question back."""

from base import Bot


class Echo(Bot):
    def answer(self, ask):
        if ask["phase"] == "setup":
            super().answer(ask)
        else:
            self.say(ask)


Echo().run()
