"""Starts a daemon in another session, which outlives it, and plays."""

import os
import time

from base import Bot


class LeavesADaemon(Bot):
    def start_game(self, start):
        super().start_game(start)
        if os.fork() == 0:
            os.setsid()
            if os.fork():
                os._exit(0)
            for fd in range(3):
                os.close(fd)
            time.sleep(3600)
        os.wait()


LeavesADaemon().run()
