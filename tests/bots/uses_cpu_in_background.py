"""Answers at once, with a child process that computes all the time; writes the child's processor time to stderr."""

import os
import time

from base import Bot


class UsesCpuInBackground(Bot):
    wants = ("news",)

    def start_game(self, start):
        super().start_game(start)
        self.child = os.fork()
        if not self.child:
            end = time.monotonic() + 3600
            while time.monotonic() < end:
                pass
            os._exit(0)

    def answer_ask(self, ask):
        if ask["phase"] == "turn":
            time.sleep(0.002)
        super().answer_ask(ask)

    def end_game(self, message):
        os.write(2, f"{self.child_seconds():.3f}\n".encode())
        os.kill(self.child, 9)

    def child_seconds(self):
        """Return the processor time of the child in seconds."""
        return time.clock_gettime(~self.child << 3 | 2)


UsesCpuInBackground().run()
