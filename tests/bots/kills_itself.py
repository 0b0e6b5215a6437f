"""Sends the signal of its argument to itself at its first move."""

import os
import sys

from base import Bot


class Suicide(Bot):
    def action(self, ask):
        os.kill(os.getpid(), int(sys.argv[1]))


Suicide().run()
