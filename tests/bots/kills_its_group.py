"""Kills its whole process group at its first move."""

import os
import signal

from base import Bot


class KillsItsGroup(Bot):
    def choose_action(self, ask):
        os.killpg(0, signal.SIGKILL)


KillsItsGroup().run()
