"""Writes to stderr when the game is over."""

import sys

from base import Bot


class LogsAtTheEnd(Bot):
    def end_game(self, message):
        print("dear diary:", message["ending"], file=sys.stderr, flush=True)


LogsAtTheEnd().run()
