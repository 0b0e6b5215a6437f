"""Writes half an answer and then nothing."""

import time

from base import Bot


class HalfALine(Bot):
    def choose_action(self, ask):
        self.write(b'{"type":"act",')
        time.sleep(3600)


HalfALine().run()
