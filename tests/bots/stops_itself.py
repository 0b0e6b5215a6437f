"""Stops itself at its first move."""

import os
import signal

from base import Bot


class Stopped(Bot):
    def action(self, ask):
        os.kill(os.getpid(), signal.SIGSTOP)


Stopped().run()
