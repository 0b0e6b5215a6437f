"""Starts twenty child processes that sleep forever, and plays."""

import os
import time

from base import Bot


class ForksChildren(Bot):
    def start_game(self, start):
        super().start_game(start)
        for _ in range(20):
            if os.fork() == 0:
                time.sleep(3600)


ForksChildren().run()
