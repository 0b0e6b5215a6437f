"""Stops itself (SIGSTOP) at its first move."""

import os
import signal

from base import Bot


class StopsItself(Bot):
    def choose_action(self, ask):
        os.kill(os.getpid(), signal.SIGSTOP)


StopsItself().run()
