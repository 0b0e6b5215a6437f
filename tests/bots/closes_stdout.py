"""Closes its stdout at its first move and lives on."""

import os
import time

from base import Bot


class Mute(Bot):
    def action(self, ask):
        os.close(1)
        time.sleep(3600)


Mute().run()
