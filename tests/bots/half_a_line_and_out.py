"""Writes half an answer and exits."""

import sys

from base import Bot


class Half(Bot):
    def action(self, ask):
        self.write(b'{"type":"act",')
        sys.exit(3)


Half().run()
