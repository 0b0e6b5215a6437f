"""Has a forgotten print before each answer."""

from base import Bot


class Debugged(Bot):
    def action(self, ask):
        print("thinking about", ask["ask"], flush=True)
        return super().action(ask)


Debugged().run()
