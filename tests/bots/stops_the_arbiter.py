"""Stops the arbiter for 0.4 s at its first move, and never answers."""

import os
import signal
import time

from base import Bot


class StopsTheArbiter(Bot):
    def choose_action(self, ask):
        os.kill(os.getppid(), signal.SIGSTOP)
        time.sleep(0.4)
        os.kill(os.getppid(), signal.SIGCONT)
        time.sleep(1_000)


StopsTheArbiter().run()
