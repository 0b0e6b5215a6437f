"""Starts a daemon in a session of its own, which outlives it, and plays on."""

import os
import time

from base import Bot


class Master(Bot):
    def begin(self, start):
        super().begin(start)
        if os.fork() == 0:
            os.setsid()
            if os.fork():
                os._exit(0)
            for fd in range(3):
                os.close(fd)
            time.sleep(3600)
        os.wait()


Master().run()
