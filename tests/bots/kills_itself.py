"""Sends itself the signal in its argument at its first move."""

import os
import sys

from base import Bot


class KillsItself(Bot):
    def choose_action(self, ask):
        os.kill(os.getpid(), int(sys.argv[1]))


KillsItself().run()
