"""Has twenty children by its first move, which sleep for ever, and plays on."""

import os
import time

from base import Bot


class Parent(Bot):
    def begin(self, start):
        super().begin(start)
        for _ in range(20):
            if os.fork() == 0:
                time.sleep(3600)


Parent().run()
