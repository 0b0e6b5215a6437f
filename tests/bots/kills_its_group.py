"""Kills its whole process group at its first move."""

import os
import signal

from base import Bot


class Furious(Bot):
    def action(self, ask):
        os.killpg(0, signal.SIGKILL)


Furious().run()
