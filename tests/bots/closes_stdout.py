"""Closes its stdout at its first move and continues to run."""

import os
import time

from base import Bot


class ClosesStdout(Bot):
    def choose_action(self, ask):
        os.close(1)
        time.sleep(3600)


ClosesStdout().run()
