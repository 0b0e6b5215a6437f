"""Writes half an answer and then nothing."""

import time

from base import Bot


class Half(Bot):
    def action(self, ask):
        self.write(b'{"type":"act",')
        time.sleep(3600)


Half().run()
