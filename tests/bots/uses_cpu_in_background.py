"""Answers at once, with a child that computes all the time; writes the child's processor time off turn to stderr."""

import os
import time

from base import Bot


class UsesCpuInBackground(Bot):
    wants = ("news",)

    def start_game(self, start):
        super().start_game(start)
        self.off_turn_s = 0.0
        self.answered_s = None
        self.child = os.fork()
        if not self.child:
            end = time.monotonic() + 3600
            while time.monotonic() < end:
                pass
            os._exit(0)

    def answer_ask(self, ask):
        if self.answered_s is not None:
            self.off_turn_s += self.child_seconds() - self.answered_s
        if ask["phase"] == "turn":
            time.sleep(0.002)
        super().answer_ask(ask)
        if ask["phase"] == "turn":
            self.answered_s = self.child_seconds()

    def end_game(self, message):
        os.write(2, f"{self.off_turn_s:.3f}\n".encode())
        os.kill(self.child, 9)

    def child_seconds(self):
        """Return the processor time of the child in seconds."""
        return time.clock_gettime(~self.child << 3 | 2)


UsesCpuInBackground().run()
