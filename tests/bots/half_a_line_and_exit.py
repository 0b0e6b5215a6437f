"""Writes half an answer and exits."""

import sys

from base import Bot


class HalfALineAndExit(Bot):
    def choose_action(self, ask):
        self.write(b'{"type":"act",')
        sys.exit(3)


HalfALineAndExit().run()
