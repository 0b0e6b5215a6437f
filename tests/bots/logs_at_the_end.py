"""Writes on stderr when the game is over, and leaves."""

import sys

from base import Bot


class Diarist(Bot):
    def over(self, said):
        print("dear diary:", said["ending"], file=sys.stderr, flush=True)


Diarist().run()
