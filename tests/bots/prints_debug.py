"""Prints a debugging line before each answer."""

from base import Bot


class PrintsDebug(Bot):
    def choose_action(self, ask):
        print("thinking about", ask["ask"], flush=True)
        return super().choose_action(ask)


PrintsDebug().run()
